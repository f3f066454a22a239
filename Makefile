# SPDX-License-Identifier: Apache-2.0
# A thin front to Meson: `make help` lists what can be asked for.

PREFIX ?= /usr/local
BUILD := build
PYTHON ?= python3

.DEFAULT_GOAL := all
.PHONY: all demo test bench accuracy soak lint format install uninstall packages clean help

all: $(BUILD)/build.ninja ## build build/scalene and its agent (this is the default)
	@ninja -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	@tools/install-packages --check build
	@meson setup $(BUILD) >$(BUILD).log || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

packages: ## install the Debian packages that building needs, if any is missing
	@tools/install-packages build

demo: packages ## install what is missing, build, profile an example and show the result
	@$(MAKE) --no-print-directory all
	$(BUILD)/scalene run -o $(BUILD)/demo.json examples/demo.py
	$(BUILD)/scalene view --cli $(BUILD)/demo.json

test: ## install what is missing, build, and run every test on every Python found
	@tools/install-packages build test
	@tools/test

accuracy: all ## measure how true the numbers are, on every Python found
	@tools/install-packages test
	@tools/accuracy

bench: all ## measure what profiling costs (BENCH="--minutes 30 --python python3.12")
	@tools/install-packages test
	@tests/bench/bench.py $(BENCH)

soak: all ## the long tests: the ring under stress, every byte of memory, Python's own test suite
	@tools/install-packages test soak
	@tools/fetch-tests || echo "no tests of the newest Pythons: they could not be fetched"
	@tools/soak

lint: packages ## check layout, mistakes and spelling of the sources
	@tools/install-packages build test lint
	@$(MAKE) --no-print-directory all
	@tools/lint

format: ## lay out the C sources as .clang-format says
	@git ls-files '*.c' '*.h' | xargs clang-format -i

install: all ## install below PREFIX (/usr/local); DESTDIR is honoured
	@meson configure $(BUILD) --prefix $(abspath $(PREFIX))
	@meson install -C $(BUILD) --quiet

uninstall: ## remove what `make install` installed
	@ninja -C $(BUILD) uninstall

clean: ## remove everything that was built
	@rm -rf $(BUILD) $(BUILD)-*

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# SPDX-License-Identifier: Apache-2.0
# A thin front to Meson: `make help` lists what can be asked for.

PREFIX ?= /usr/local
BUILD := build
PYTHON ?= python3

.DEFAULT_GOAL := all
.PHONY: all page demo test bench accuracy soak lint format install uninstall wheel packages manual clean help

all: $(BUILD)/build.ninja ## build build/scalene and its agent (this is the default)
	@ninja -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	@tools/install-packages --check build
	@meson setup $(BUILD) >$(BUILD).log || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

packages: ## install the Debian packages that building needs, if any is missing
	@tools/install-packages build

page: $(BUILD)/build.ninja ## build the page of `scalene view` alone: build/web/page.js and page.css
	@ninja -C $(BUILD) --quiet web/page.js

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

manual: all ## write docs/scalene.1 anew, from docs/scalene.1.in and the tables of options
	@$(BUILD)/docs/make-manual docs/scalene.1.in >$(BUILD)/scalene.1
	@cp $(BUILD)/scalene.1 docs/scalene.1

install: all ## install below PREFIX (/usr/local); DESTDIR is honoured
	@meson configure $(BUILD) --prefix $(abspath $(PREFIX))
	@meson install -C $(BUILD) --quiet

wheel: packages ## build dist/scalene-*.whl, one for every Python from 3.8 on
	@tools/install-packages wheel
	@mkdir -p dist && rm -f dist/*.whl
	@cd packaging && $(PYTHON) -c 'import backend; print("dist/" + backend.build_wheel("../dist"))'

uninstall: ## remove what `make install` installed
	@ninja -C $(BUILD) uninstall

clean: ## remove everything that was built
	@rm -rf $(BUILD) $(BUILD)-* dist

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

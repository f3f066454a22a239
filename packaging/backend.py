# SPDX-License-Identifier: Apache-2.0
"""The PEP 517 backend: builds the command and the agent with Meson and packs them with the Python package.

The wheel is not tied to one Python. The command goes to `bin`, the agent to `lib/scalene` of wherever the
wheel is installed, as after `make install`: so the one finds the other.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import elf
import wheel_file

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build-wheel")
# Static libraries become part of the command, and their licences of the wheel.
LIBRARIES = ["libdw-dev", "libelf-dev", "libjansson-dev", "libyaml-dev", "zlib1g-dev", "liblzma-dev", "libbz2-dev"]


def get_requires_for_build_wheel(config_settings=None):
    return [name for name in ("meson", "ninja") if not shutil.which(name)]


get_requires_for_build_editable = get_requires_for_build_wheel


def run(*command):
    """Shows the command's words only if it fails."""
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode:
        sys.stderr.write(result.stdout.decode("utf-8", "replace"))
        sys.exit("scalene: the wheel cannot be built: %s failed" % command[0])


def install(stage):
    """Builds, and installs below `stage`; what was built last time is used again."""
    options = ["--prefix=/", "--buildtype=release", "-Dprefer_static=true", "-Dportable=%s" % elf.is_x86_64(),
               "-Dtests=disabled", "--strip"]
    is_made = os.path.exists(os.path.join(BUILD, "build.ninja"))
    run("meson", "setup", *(["--reconfigure"] if is_made else []), *options, BUILD)
    run("ninja", "-C", BUILD)
    run("meson", "install", "-C", BUILD, "--destdir", stage, "--no-rebuild")


def files_below(folder):
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(place, name)
            yield path, os.path.relpath(path, folder)


def add_licenses(archive):
    archive.add(os.path.join(ROOT, "LICENSE"), archive.info("licenses/LICENSE"))
    for package in LIBRARIES:
        path = os.path.join("/usr/share/doc", package, "copyright")
        if os.path.exists(path):
            archive.add(path, archive.info("licenses/%s.copyright" % package))


def build(wheel_directory, is_editable):
    with tempfile.TemporaryDirectory() as stage:
        install(stage)
        command = os.path.join(stage, "bin/scalene")
        agent = os.path.join(stage, "lib/scalene/libscalene-agent.so")
        with wheel_file.Wheel(ROOT, wheel_directory, elf.platform_tag([command, agent])) as archive:
            if is_editable:
                archive.add_text("scalene.pth", os.path.join(ROOT, "python") + "\n")
            else:
                for path, name in files_below(os.path.join(ROOT, "python")):
                    archive.add(path, name)
            archive.add(command, archive.data("scripts/scalene"))
            archive.add(agent, archive.data("data/lib/scalene/libscalene-agent.so"))
            archive.add(os.path.join(ROOT, "docs/scalene.1"), archive.data("data/share/man/man1/scalene.1"))
            add_licenses(archive)
    return archive.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return build(wheel_directory, is_editable=False)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return build(wheel_directory, is_editable=True)


def build_sdist(sdist_directory, config_settings=None):
    name, version = wheel_file.name_and_version(ROOT)
    base = "%s-%s" % (name, version)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tempfile.TemporaryDirectory() as folder:
        information = os.path.join(folder, "PKG-INFO")
        with open(information, "w", encoding="utf-8") as file:
            file.write(wheel_file.metadata(ROOT))
        with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
            archive.add(information, base + "/PKG-INFO")
            for path in filter(None, os.fsdecode(listed).split("\0")):
                archive.add(os.path.join(ROOT, path), base + "/" + path)
    return base + ".tar.gz"

# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel: a zip file with a list of what is in it. The same files give the same bytes."""

import base64
import hashlib
import os
import re
import zipfile

WHEEL = """Wheel-Version: 1.0
Generator: scalene
Root-Is-Purelib: false
Tag: py3-none-%s
"""
METADATA = """Metadata-Version: 2.1
Name: %(name)s
Version: %(version)s
Summary: %(description)s
License: Apache-2.0
Requires-Python: %(requires-python)s
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Software Development :: Debuggers
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""
DATE = (2020, 1, 1, 0, 0, 0)


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def project(root):
    """The plain texts of pyproject.toml's [project], as no TOML reader comes with the older Pythons, and
    the version, which is Meson's."""
    table = read(root, "pyproject.toml").split("[project]\n")[1].split("\n[")[0]
    version = re.search(r"\bversion: '(.*?)'", read(root, "meson.build"))[1]
    return dict(re.findall(r'^([a-z-]+) = "(.*)"$', table, re.MULTILINE), version=version)


def name_and_version(root):
    fields = project(root)
    return fields["name"], fields["version"]


def metadata(root):
    return METADATA % project(root) + read(root, "README.md")


class Wheel:
    def __init__(self, root, folder, platform):
        self.base = "%s-%s" % name_and_version(root)
        self.name = "%s-py3-none-%s.whl" % (self.base, platform)
        self.archive = zipfile.ZipFile(os.path.join(folder, self.name), "w", zipfile.ZIP_DEFLATED)
        self.records = []
        self.add_text(self.info("METADATA"), metadata(root))
        self.add_text(self.info("WHEEL"), WHEEL % platform)

    def info(self, name):
        return "%s.dist-info/%s" % (self.base, name)

    def data(self, name):
        """A file that goes not to the packages but below the environment's own folder."""
        return "%s.data/%s" % (self.base, name)

    def write(self, name, content, mode):
        entry = zipfile.ZipInfo(name, DATE)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(entry, content)

    def add_bytes(self, name, content, mode=0o644):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.records.append("%s,sha256=%s,%d" % (name, digest, len(content)))
        self.write(name, content, mode)

    def add_text(self, name, text):
        self.add_bytes(name, text.encode())

    def add(self, path, name):
        with open(path, "rb") as file:
            self.add_bytes(name, file.read(), 0o755 if os.access(path, os.X_OK) else 0o644)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        record = self.info("RECORD")
        self.write(record, "\n".join([*self.records, record + ",,", ""]), 0o644)
        self.archive.close()

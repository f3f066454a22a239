# SPDX-License-Identifier: Apache-2.0
"""pandas, numpy, Pillow and lxml at work: what they compute is printed, bare and profiled alike."""

import hashlib
import io

import lxml.etree
import numpy
import pandas
from PIL import Image, ImageFilter


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def of_numpy():
    numbers = numpy.arange(2_000_000, dtype=numpy.float64).reshape(2000, 1000)
    for _ in range(5):
        numbers = numbers[::-1, ::2].repeat(2, axis=1) * 1.5 - 1
    order = numpy.argsort(numbers[:, 7] % 97, kind="stable")
    print("numpy", digest(numbers[order].tobytes()), digest(numpy.cumsum(numbers, axis=0).tobytes()))


def of_pandas():
    rows = 200_000
    frame = pandas.DataFrame({"key": [i * 7919 % 1000 for i in range(rows)], "value": range(rows),
                              "name": ["name %d" % (i % 317) for i in range(rows)]})
    grouped = frame.groupby("key")["value"].agg(["sum", "max", "count"]).reset_index()
    joined = frame.merge(grouped, on="key").sort_values(["name", "value"]).reset_index(drop=True)
    text = joined.head(5000).to_csv(index=False)
    again = pandas.read_csv(io.StringIO(text))
    print("pandas", digest(text.encode()), int(again["sum"].sum()), len(joined))


def of_pillow():
    picture = Image.frombytes("RGB", (800, 600), bytes(i * i % 251 for i in range(800 * 600 * 3)))
    for _ in range(5):
        picture = picture.filter(ImageFilter.GaussianBlur(2)).rotate(90, expand=True).resize((900, 700))
    file = io.BytesIO()
    picture.save(file, "PNG")
    print("Pillow", digest(Image.open(io.BytesIO(file.getvalue())).tobytes()))


def of_lxml():
    root = lxml.etree.Element("root")
    for i in range(50_000):
        lxml.etree.SubElement(root, "item", number=str(i)).text = "text %d" % (i * 31 % 1009)
    tree = lxml.etree.fromstring(lxml.etree.tostring(root))
    found = tree.xpath("//item[@number mod 97 = 3]/text()")
    for item in tree.findall("item")[::2]:
        tree.remove(item)
    print("lxml", len(found), digest("".join(found).encode()), digest(lxml.etree.tostring(tree)))


of_numpy()
of_pandas()
of_pillow()
of_lxml()

#!/usr/bin/env python3
"""Checks that a page stands alone and is well-formed: no script, nothing fetched, SVG that parses, light and dark.

Usage: check_page.py FILE CHARTS        CHARTS: how many there must be
"""

import re
import sys
import xml.etree.ElementTree

path, charts = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    text = file.read()
assert text.startswith("<!doctype html>"), "no doctype"
for pattern in (r"<script", r"<link", r"<img", r"<iframe", r"\bsrc\s*=", r"\bhref\s*=", r"url\(", r"@import", r"\son\w+\s*="):
    assert not re.search(pattern, text, re.IGNORECASE), f"the page has {pattern}"
assert "prefers-color-scheme: dark" in text, "no dark colours"
body = re.sub(r"<!doctype html>|<meta[^>]*>", "", text)
root = xml.etree.ElementTree.fromstring(body)
drawings = root.findall(".//{http://www.w3.org/2000/svg}svg")
assert len(drawings) == int(charts), f"{len(drawings)} charts"
for drawing in drawings:
    marks = [e for e in drawing.iter() if e.tag.rpartition("}")[2] in ("polyline", "circle", "rect")]
    assert marks, "a chart without marks"
    for mark in marks:
        for name, value in mark.attrib.items():
            assert "nan" not in value and "inf" not in value, f"{name}={value}"

#!/usr/bin/env python3
"""Checks JSON lines against the schemas in results/schema/ (the part of JSON Schema they use).

Usage: check_records.py SCHEMA_FOLDER FILE
"""

import json
import os
import sys

TYPES = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}


def check(value, schema, where):
    if "const" in schema:
        assert value == schema["const"], f"{where}: {value!r} is not {schema['const']!r}"
    if "enum" in schema:
        assert value in schema["enum"], f"{where}: {value!r} is not one of {schema['enum']}"
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert any(TYPES[kind](value) for kind in kinds), f"{where}: {value!r} is not {kinds}"
    if "minimum" in schema:
        assert value >= schema["minimum"], f"{where}: {value} is below {schema['minimum']}"
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            check(item, schema["items"], f"{where}[{index}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name in schema.get("required", []):
            assert name in value, f"{where}: no field {name}"
        for name, item in value.items():
            rest = schema.get("additionalProperties", True)
            assert name in known or rest is not False, f"{where}: unknown field {name}"
            inner = known.get(name, rest if isinstance(rest, dict) else {})
            check(item, inner, f"{where}.{name}")


def main():
    folder, path = sys.argv[1:]
    count = 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            record = json.loads(line)
            kind, _, version = record["schema"].removeprefix("toktier.").partition("/")
            assert version == "1", f"line {number}: version {version}"
            with open(os.path.join(folder, kind + ".schema.json"), encoding="utf-8") as text:
                check(record, json.load(text), f"line {number}")
            count += 1
    assert count > 0, "no records"


main()

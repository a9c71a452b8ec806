#!/usr/bin/env python3
"""validate.py SCHEMA DOCUMENT: the part of JSON Schema that our schemas use. Prints the first breach."""
import json, sys


def fits(value, kind):
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}[kind])


def breach(schema, value, at="$"):
    if "$ref" in schema:
        return breach(rules["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, at)
    if "anyOf" in schema:
        found = [breach(s, value, at) for s in schema["anyOf"]]
        return None if None in found else found[-1]
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r} is not allowed"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(fits(value, k) for k in kinds):
        return f"{at}: {value!r} is no {'/'.join(kinds)}"
    if "minimum" in schema and fits(value, "number") and value < schema["minimum"]:
        return f"{at}: {value!r} is too small"
    if isinstance(value, list) and "items" in schema:
        return next(filter(None, (breach(schema["items"], v, f"{at}[{i}]") for i, v in enumerate(value))), None)
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                return f"{at}: '{key}' is missing"
        for key, v in value.items():
            below = schema.get("properties", {}).get(key, schema.get("additionalProperties", True))
            if below is False:
                return f"{at}: '{key}' is not in the schema"
            if isinstance(below, dict) and (found := breach(below, v, f"{at}.{key}")):
                return found
    return None


def strict(name):
    raise ValueError(f"{name} in the document")


document = json.load(open(sys.argv[2], encoding="utf-8"), parse_constant=strict)
rules = json.load(open(sys.argv[1], encoding="utf-8"))
problem = breach(rules, document)
if problem:
    sys.exit(problem)

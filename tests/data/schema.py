"""Validates by a JSON Schema with Python's jsonschema. The schema's file is the argument; each line of standard input
is one JSON value, and each is answered with one line: `valid`, or what is wrong first.
"""

import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for line in sys.stdin:
    error = next(validator.iter_errors(json.loads(line)), None)
    print("valid" if error is None else f"{error.json_path}: {error.message}"[:300], flush=True)

"""Holds answers to an OpenAPI document. The first line of standard input is the document, which must be valid itself; each
further line is an answer, `{"method", "path", "status", "kind", "body"}`. Every line is answered with one: `valid` and the
operation's id, or what is wrong first.
"""

import json
import re
import sys

import jsonschema
from openapi_spec_validator import validate

document = json.loads(sys.stdin.readline())
try:
    validate(document)
except Exception as error:  # its classes differ between versions
    print(f"the document: {error}"[:500], flush=True)
    sys.exit()
print("valid", flush=True)

BASE = document["servers"][0]["url"]
OPERATIONS = []
for template, item in document["paths"].items():
    parts = [re.escape(part) if not part.startswith("{") else "[^/]+" for part in template.split("/")]
    for method, operation in item.items():
        OPERATIONS.append((method, re.compile(BASE + "/".join(parts)), operation))


def judge(answer):
    path = answer["path"].split("?")[0]
    for method, pattern, operation in OPERATIONS:
        if method == answer["method"].lower() and pattern.fullmatch(path):
            break
    else:
        return "the document has no such path and method"
    response = operation["responses"].get(str(answer["status"]))
    if response is None:
        return f"the document has no status {answer['status']} there"
    if answer["kind"] not in response["content"]:
        return f"the document has no {answer['kind']} there"
    schema = {**response["content"][answer["kind"]]["schema"], "components": document["components"]}
    validator = jsonschema.Draft202012Validator(schema)
    for one in answer["body"] if isinstance(answer["body"], list) else [answer["body"]]:
        error = next(validator.iter_errors(one), None)
        if error is None and answer["kind"] == "text/event-stream" and one["event"] == "change":
            data = {**schema["properties"]["data"]["contentSchema"], "components": document["components"]}
            error = next(jsonschema.Draft202012Validator(data).iter_errors(json.loads(one["data"])), None)
        if error:
            return f"{error.json_path}: {error.message}"[:400]
    return f"valid {operation['operationId']}"


for line in sys.stdin:
    print(judge(json.loads(line)), flush=True)

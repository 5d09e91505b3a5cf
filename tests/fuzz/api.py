"""The JSON API: bodies, query strings, headers and paths.

No error of ours; a refusal is a problem in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.fuzz.errors import LONGEST_OF_ALL, assert_says_what
from tests.fuzz.requests import Requests, text_of

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "openapi.json"
JSON = {"Content-Type": "application/json"}
API = ("/v1", "/api")
WORDS = (
    "\\u0000",
    "Authorization: Bearer ",
    "Idempotency-Key: ",
    "If-None-Match: ",
    "daily\\n",
    "cursor",
    "limit=-1",
)
served: list[Requests] = []


def begin() -> None:
    served.append(Requests())


def seeds() -> Iterator[bytes]:
    """Each operation with real path values, and its document's examples in query and body."""
    document = json.loads(DOCUMENT.read_text())
    (requests,) = served
    paths = {
        rule.rule: rule for rule in requests.app.url_map.iter_rules() if rule.rule.startswith(API)
    }
    for path, methods in document["paths"].items():
        rule = next(candidate for rule, candidate in paths.items() if _plain(rule) == path)
        for method, operation in methods.items():
            query = "&".join(
                f"{parameter['name']}={_example(document, parameter['schema'])}"
                for parameter in operation.get("parameters", ())
                if parameter.get("in") == "query"
            )
            target = requests.sender.path(rule) + (f"?{query}" if query else "")
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            body = json.dumps(_example(document, content["schema"])) if content else ""
            yield text_of(method.upper(), target, body, JSON if content else {})


def _plain(rule: str) -> str:
    """A rule as the document writes it: `/v1/games/{game}`."""
    parts = [part.split(">") for part in rule.split("<")]
    return parts[0][0] + "".join("{" + name.split(":")[-1] + "}" + tail for name, tail in parts[1:])


def _example(document: dict[str, Any], schema: dict[str, Any], depth: int = 0) -> Any:
    """A value that the schema allows, as far as it says so by examples, types and least values."""
    if "$ref" in schema:
        *_, name = schema["$ref"].split("/")
        return _example(document, document["components"]["schemas"][name], depth + 1)
    for name in ("examples", "enum"):
        if schema.get(name):
            return schema[name][0]
    if "default" in schema or "const" in schema:
        return schema.get("const", schema.get("default"))
    for name in ("anyOf", "oneOf", "allOf"):
        if name in schema:
            return _example(document, schema[name][0], depth + 1)
    kind = schema.get("type")
    if kind == "object" and depth < 6:
        return {
            name: _example(document, property_schema, depth + 1)
            for name, property_schema in schema.get("properties", {}).items()
        }
    if kind == "array" and depth < 6:
        return [_example(document, schema.get("items", {}), depth + 1)]
    if schema.get("format") == "uuid":
        return "00000000-0000-0000-0000-000000000001"
    return {"integer": schema.get("minimum", 1), "number": 1.5, "boolean": True}.get(str(kind), "a")


def one_input(data: bytes) -> None:
    _, _, target = data.partition(b" ")
    if not target.startswith((b"/v1/", b"/api/")):
        return
    answer = served[0].send(data)
    if answer is not None and 400 <= answer.status_code < 500 and not data.startswith(b"HEAD"):
        problem = answer.get_json(silent=True)
        assert problem, f"{answer.status_code} is no JSON: {answer.text[:200]!r}"
        assert_says_what(problem["detail"], LONGEST_OF_ALL)
        for fault in problem.get("errors", ()):
            assert_says_what(fault["detail"])

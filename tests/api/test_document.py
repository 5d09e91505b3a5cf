"""The document: valid, whole, and shown to people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import escape
from openapi_spec_validator import validate

from app.api.document import document
from app.core.input_limits import FIELD_CHARACTERS

OPERATIONS = [(path, method) for path, methods in document()["paths"].items() for method in methods]


@pytest.mark.everyday("the contract with integrators")
def test_the_document_is_valid_openapi() -> None:
    validate(document())
    assert document()["openapi"].startswith("3.1")


def test_the_document_and_the_routes_are_the_same(app: Flask) -> None:
    routes = {
        (re.sub(r"<(?:[^<>]+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith(("/v1/", "/api/"))
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert routes - {("/v1/openapi.json", "get")} == set(OPERATIONS)


def test_the_served_document_is_the_written_one(client: FlaskClient) -> None:
    assert client.get("/v1/openapi.json").json == document()


def test_every_operation_says_enough_to_be_used() -> None:
    ids = [document()["paths"][path][method]["operationId"] for path, method in OPERATIONS]
    assert len(ids) == len(set(ids))
    for path, method in OPERATIONS:
        described = document()["paths"][path][method]
        assert described["summary"], described["operationId"]
        for parameter in described.get("parameters", ()):
            assert parameter.get("description"), (described["operationId"], parameter["name"])


# "Of the score, in a mode that has one." leaves the reader to find out what is described.
CLIPPED = re.compile(r"(?:Of|Such as|By|From|Among|Null|None|Rises|Else)\b|.*; (?:null|default)\b")


def described_fields(part: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Every field and parameter of the document that has a description, with it."""
    if isinstance(part, dict):
        if isinstance(text := part.get("description"), str) and name:
            yield name, text
        for inner_name, inner in part.get("properties", {}).items():
            yield from described_fields(inner, inner_name)
        for key, inner in part.items():
            if key != "properties":
                yield from described_fields(
                    inner, str(part.get("name", "")) if "in" in part else ""
                )
    elif isinstance(part, list):
        for inner in part:
            parameter = isinstance(inner, dict) and "in" in inner
            yield from described_fields(inner, str(inner["name"]) if parameter else "")


def test_the_description_of_a_field_is_a_whole_sentence() -> None:
    described = set(described_fields(document()))
    assert len(described) > 300
    assert not [(name, text) for name, text in sorted(described) if CLIPPED.match(text)]


def texts_sent(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every text inside a schema of the document, with where it stands."""
    if reference := schema.get("$ref"):
        name = reference.rsplit("/", 1)[1]
        if name not in path.split("/"):
            yield from texts_sent(document()["components"]["schemas"][name], f"{path}/{name}")
        return
    if "string" in schema.get("type", ()):
        yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from texts_sent(inner, f"{path}/{name}")
    inner_schemas = [schema.get("items"), schema.get("additionalProperties")]
    inner_schemas += [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    for inner in inner_schemas:
        if isinstance(inner, dict):
            yield from texts_sent(inner, path)


def test_every_text_that_an_operation_takes_has_its_longest() -> None:
    """Whatever is done with a text takes longer for longer ones; files are read line by line."""
    unlimited = set()
    for path, method in OPERATIONS:
        described = document()["paths"][path][method]
        schemas = [parameter["schema"] for parameter in described.get("parameters", ())]
        for content in described.get("requestBody", {}).get("content", {}).values():
            schemas.append(content["schema"])
        for place, text in (each for schema in schemas for each in texts_sent(schema)):
            is_limited = (
                text.keys() & {"enum", "const"}
                or text.get("format") in {"uuid", "date-time", "date"}
                or text.get("maxLength", FIELD_CHARACTERS + 1) <= FIELD_CHARACTERS
                or not any(
                    re.search(text.get("pattern", ""), letter * (FIELD_CHARACTERS + 1))
                    for letter in ("a", "A", "0", "-", " ", "\u0301")
                )
            )
            if not is_limited:
                unlimited.add(place)
    assert unlimited == {"/ImportTry/files", "/ImportNew/files"}


def test_the_reference_page_lists_every_operation_without_javascript(client: FlaskClient) -> None:
    page = client.get("/docs/api")
    assert page.status_code == 200
    for path, method in OPERATIONS:
        described = document()["paths"][path][method]
        assert (
            f"<code>{method.upper()} {path}</code> {escape(described['summary'])}</li>" in page.text
        )

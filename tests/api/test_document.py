"""The document: valid, whole, and shown to people."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import escape
from openapi_spec_validator import validate

from app.api.document import document

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


def test_the_reference_page_lists_every_operation_without_javascript(client: FlaskClient) -> None:
    page = client.get("/docs/api")
    assert page.status_code == 200
    for path, method in OPERATIONS:
        described = document()["paths"][path][method]
        assert (
            f"<code>{method.upper()} {path}</code> {escape(described['summary'])}</li>" in page.text
        )

"""Writes the OpenAPI 3.1 document of the API from the declared operations.

It is published as docs/openapi.json and at /docs/api.
"""

from __future__ import annotations

import inspect
from functools import cache
from http import HTTPStatus
from typing import Any

import msgspec

from app.api.declared import OPERATIONS
from app.api.operations import JSON, PARTS, Operation
from app.api.reading import PLACES
from app.api.security import Anybody, Key, PlayerToken, Security, Session
from app.core.http.problems import MEDIA_TYPE, Problem

REF = "#/components/schemas/{name}"
ABOUT = """Leaderboards for games: send scores, read ranks.

Scores are whole numbers of units; one unit is 10^-`decimals` points. `raw_score` is in units, and
all other scores are in points. `{game}` and `{mode}` are slugs or UUIDs. Times are RFC 3339 in UTC.

Every error is a problem (RFC 9457, `application/problem+json`): `detail` says what to do, `errors`
names each field. A 429 or 503 has `Retry-After`: wait that many seconds and send the same request
again. With the same `Idempotency-Key` or attempt, it counts only once.

Reads have an `ETag`: send it back as `If-None-Match` to get an empty 304 if nothing has changed.
Responses are compressed if you send `Accept-Encoding: gzip`. Web pages on other sites can call
public operations and those signed with a player's token, if their origin is listed in
`PUT /v1/games/{game}/origins`.
"""
NOT_MODIFIED = {"description": "The resource has not changed since the If-None-Match version."}
TAGS = {
    "Games": "Games and their modes. Anyone can read listed games; a key manages its own.",
    "Players and tokens": "Register players and get the tokens with which they send scores.",
    "Scores": "Send scores.",
    "Leaderboards": "Read boards.",
    "Friends": "A player's friends, requests and blocks, and boards among friends.",
    "Change feed and webhooks": (
        "Changes to the integrator's boards: read them as a feed or have them sent to your server."
    ),
    "Fantasy football": (
        "Gamers, team sheets, footballers and leagues. JSON names follow the source design."
    ),
    "Draft leagues": (
        "Leagues with exclusive rosters: drafts, waivers, trades, the season and the playoffs."
    ),
    "Box scores": "Statistics of a football game.",
    "Tournaments": (
        "Prediction games on real matches: matches, team standings and member leaderboards."
    ),
    "Monthly board": (
        "Pressbox's own board. Points are whole numbers, and each month starts from zero."
    ),
    "Competitions": "Boards with windows, invitations, attempts and rewards.",
    "Moderation": "Limits, held scores, sanctions, rollbacks and frozen boards of your games.",
}
SCHEMES = {
    "apiKey": {
        "type": "http",
        "scheme": "bearer",
        "description": (
            "An integrator's API key (`pbk_...`), created at /integrators. Each "
            "operation names the scope it needs."
        ),
    },
    "playerToken": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A player's access token from `POST /v1/tokens`, valid for 15 minutes.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "session",
        "description": (
            "A signed-in member's browser session. Methods other than GET also need "
            "the page's CSRF token as `X-CSRFToken`."
        ),
    },
}


@cache
def document() -> dict[str, Any]:
    """The whole document.

    Operations are ordered by module name and declaration, regardless of the order of imports.
    """
    operations = sorted(OPERATIONS, key=lambda op: op.view.__module__)
    structs: set[type[msgspec.Struct]] = {Problem}
    parameters: set[str] = set()  # structs whose fields are separate parameters
    for op in operations:
        structs.update(
            struct for struct in (*op.takes.values(), *op.answers.values()) if struct is not None
        )
        parameters.update(struct.__name__ for part, struct in op.takes.items() if part != "body")
    in_order = sorted(structs, key=lambda struct: struct.__name__)
    _, schemas = msgspec.json.schema_components(in_order, ref_template=REF)
    paths: dict[str, dict[str, Any]] = {}
    for op in operations:
        paths.setdefault(op.path, {})[op.method.lower()] = _operation(op, schemas)
    known = [{"name": name, "description": text} for name, text in TAGS.items()]
    whole_document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Pressbox", "version": "1", "description": ABOUT},
        "servers": [{"url": "/"}],
        "tags": known,
        "paths": paths,
        "components": {
            "schemas": {
                name: schema for name, schema in sorted(schemas.items()) if name not in parameters
            },
            "securitySchemes": SCHEMES,
        },
    }
    # defaults as JSON values
    plain = msgspec.json.decode(msgspec.json.encode(whole_document))
    adapted: dict[str, Any] = unindented(_with_numbers(plain))
    return adapted


def _with_numbers(value: Any) -> Any:
    """The document with decimals as numbers, as operations.py encodes them; msgspec has texts."""
    if isinstance(value, list):
        return [_with_numbers(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("format") == "decimal":
        value = {name: item for name, item in value.items() if name != "format"} | {
            "type": "number"
        }
    return {name: _with_numbers(item) for name, item in value.items()}


def unindented(value: Any) -> Any:
    """A schema whose descriptions have no indent: before Python 3.13 docstrings keep theirs."""
    if isinstance(value, list):
        return [unindented(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: inspect.cleandoc(item)
        if name == "description" and isinstance(item, str)
        else unindented(item)
        for name, item in value.items()
    }


def _operation(op: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    summary, description = op.texts
    described: dict[str, Any] = {"operationId": op.id, "tags": [op.tag], "summary": summary}
    if description:
        described["description"] = description
    if limits := _limits(op):
        described["description"] = f"{description}\n\n{limits}".strip()
    described["security"] = [
        requirement for scheme in op.security for requirement in [_requirement(scheme)]
    ]
    parameters = [
        parameter
        for part in PARTS
        if part in op.takes and part != "body"
        for parameter in _parameters(PLACES[part], schemas[op.takes[part].__name__])
    ]
    if parameters:
        described["parameters"] = parameters
    if "body" in op.takes:
        described["requestBody"] = {
            "required": True,
            "content": _content("application/json", op.takes["body"].__name__),
        }
    not_modified = (
        {"304": NOT_MODIFIED}
        if op.method == "GET" and op.media_type == JSON and HTTPStatus.OK in op.answers
        else {}
    )
    described["responses"] = (
        {str(status): _answer(op, status) for status in op.answers}
        | not_modified
        | {str(status): _refusal(status, text) for status, text in op.refusals.items()}
    )
    return described


def _requirement(scheme: Security) -> dict[str, list[str]]:
    match scheme:
        case Key(scope):
            return {"apiKey": [scope]}
        case PlayerToken():
            return {"playerToken": []}
        case Session():
            return {"session": []}
        case Anybody():
            return {}


def _limits(op: Operation) -> str:
    limits = {"per caller": op.limits.caller, "per address": op.limits.address}
    sentences = [f"{text.replace(';', ' and ')} {who}" for who, text in limits.items() if text]
    return f"At most {' and '.join(sentences)}." if sentences else ""


def _parameters(place: str, schema: dict[str, Any]) -> list[dict[str, Any]]:
    parameters = []
    for name, kind in schema["properties"].items():
        kind = dict(kind)
        parameter: dict[str, Any] = {
            "name": name,
            "in": place,
            "required": name in schema.get("required", ()),
        }
        if text := kind.pop("description", ""):
            parameter["description"] = text
        parameters.append(parameter | {"schema": kind})
    return parameters


def _answer(op: Operation, status: int) -> dict[str, Any]:
    struct = op.answers[status]
    if struct is None:
        return {"description": "Done."}
    text = " ".join((struct.__doc__ or "").split())
    return {"description": text, "content": _content(op.media_type, struct.__name__)}


def _refusal(status: int, text: str) -> dict[str, Any]:
    described: dict[str, Any] = {
        "description": text,
        "content": _content(MEDIA_TYPE, Problem.__name__),
    }
    if status in (429, 503):
        described["headers"] = {
            "Retry-After": {
                "description": "The number of seconds to wait.",
                "schema": {"type": "integer"},
            }
        }
    if status == HTTPStatus.UNAUTHORIZED:
        described["headers"] = {
            "WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}
        }
    return described


def _content(media_type: str, name: str) -> dict[str, Any]:
    return {media_type: {"schema": {"$ref": REF.format(name=name)}}}

"""Parses a request into an operation's input and reports every fault with its field and remedy.

Undeclared names are faults too, so that a misspelt one is not silently ignored (except in headers).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from flask import request

from app.api import wording
from app.core.http.problems import DETAILS, Fault, ProblemError
from app.core.input_limits import JSON_VALUES
from app.core.json_decoding import count_values, field_with_nul, repeated_name

GZIP = b"\x1f\x8b"
COMPRESSED = "The body is compressed. Send plain JSON without Content-Encoding."
LONGEST_NAME = 100  # characters of an undeclared name in a fault
PLACES = {"path": "path", "query": "query", "headers": "header", "body": "body"}
_PATH = re.compile(r" - at `(?:key in )?\$?(.*)`$")


def read(takes: Mapping[str, type[msgspec.Struct]], path: Mapping[str, str]) -> dict[str, Any]:
    """The structs by part of the request.

    Raises ProblemError: 400 with every fault, 413, 415.
    """
    faults: list[Fault] = []
    values: dict[str, Any] = {}
    for part, struct in takes.items():
        values_by_name: dict[str, Any]
        if part == "body":
            values_by_name = _spelled(struct, _body(), faults)
        elif part == "query":
            values_by_name = {
                name: value for name in request.args if (value := _single(name, faults)) is not None
            }
        elif part == "headers":
            names = [f.encode_name for f in _fields(struct)]
            values_by_name = {
                name: request.headers[name] for name in names if name in request.headers
            }
        else:
            values_by_name = dict(path)
        values[part] = _struct(struct, values_by_name, PLACES[part], faults)
    if faults:
        raise ProblemError(400, " ".join(fault.detail for fault in faults), faults)
    return values


def fault(place: str, field: str, code: str, detail: str) -> ProblemError:
    """A refusal because of one field, which only the operation itself can find wrong."""
    return ProblemError(400, detail, [Fault(place, field, code, detail)])


@cache
def _fields(struct: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Cache a struct's fields, because msgspec reads annotations anew each time."""
    return msgspec.structs.fields(struct)


def _single(name: str, faults: list[Fault]) -> str | None:
    values = request.args.getlist(name)
    if len(values) == 1:
        return values[0]
    name = name[:LONGEST_NAME]
    faults.append(
        Fault("query", name, "repeated", f"{name} appears {len(values)} times. Send it once.")
    )
    return None


def _body() -> dict[str, Any]:
    if request.mimetype != "application/json":
        raise ProblemError(415, DETAILS[415])
    data = request.get_data()
    if (
        request.headers.get("Content-Encoding", "identity").strip().lower() != "identity"
        or data[:2] == GZIP
    ):
        # RFC 9110, 12.5.3 and 15.5.16
        raise ProblemError(415, COMPRESSED, headers={"Accept-Encoding": "identity"})
    if not data.strip():
        raise fault("body", "", "missing", "The body is missing. Send a JSON object.")
    if count_values(data) > JSON_VALUES:
        raise ProblemError(413, "The body has too many values. Send less at once.")
    if field := field_with_nul(data):
        raise fault(
            "body",
            field,
            "invalid",
            f"{field} contains a character that cannot be stored (U+0000). Remove it.",
        )
    try:
        body = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise fault("body", "", "malformed", f"The body is not JSON: {error}.") from None
    if not isinstance(body, dict):
        raise fault("body", "", "invalid", "The body must be a JSON object.")
    if name := repeated_name(data):
        raise fault("body", name, "repeated", f"{name} appears twice in one object. Send it once.")
    return body


def _spelled(
    struct: type[msgspec.Struct], body: dict[str, Any], faults: list[Fault]
) -> dict[str, Any]:
    """The body by the names that the struct declares.

    A struct with `either_case` accepts `Captain` for `captain` too. Its `passed_over` names, which
    the same resource answers but nobody can set, are ignored, so that a sheet that was read can be
    sent back.
    """
    if not getattr(struct, "either_case", False):
        return body
    passed_over: frozenset[str] = getattr(struct, "passed_over", frozenset())
    known = {field.encode_name for field in _fields(struct)}
    spelled: dict[str, Any] = {}
    for name, value in body.items():
        plain = name[:1].lower() + name[1:]
        if plain in known and plain in spelled:
            faults.append(
                Fault(
                    "body",
                    plain,
                    "repeated",
                    f"{plain} appears twice, once as {name}. Send it once.",
                )
            )
        if plain in known:
            spelled[plain] = value
        elif plain not in passed_over:
            spelled[name] = value
    return spelled


def _number(text: str) -> int | float:
    """To JSON Schema 125.0 is a whole number."""
    value = float(text)
    if math.isinf(value):
        raise msgspec.ValidationError("Number out of range")
    return int(value) if value.is_integer() else value


_decoder = msgspec.json.Decoder(float_hook=_number)


def _struct(
    struct: type[msgspec.Struct], values_by_name: dict[str, Any], place: str, faults: list[Fault]
) -> Any:
    """Convert to the struct field by field, or add every fault and return None.

    msgspec alone would stop at the first fault.
    """
    known = {field.encode_name: field for field in _fields(struct)}
    before = len(faults)
    values = {}
    for name in sorted(name[:LONGEST_NAME] for name in values_by_name.keys() - known.keys()):
        nearest = f"there are {', '.join(known)}" if known else "there are none"
        faults.append(Fault(place, name, "unknown", f"The {place} has no field {name}: {nearest}."))
    for name, field in known.items():
        if name not in values_by_name:
            if field.required:
                faults.append(
                    Fault(
                        place, name, "missing", f"{name} is missing from the {place}.{_hint(field)}"
                    )
                )
            continue
        try:
            values[field.name] = msgspec.convert(
                values_by_name[name], field.type, strict=place == "body"
            )
        except msgspec.ValidationError as error:
            where = name + (match[1] if (match := _PATH.search(str(error))) else "")
            expectation = wording.words(_PATH.sub("", str(error)), field.type)
            faults.append(Fault(place, where, "invalid", f"{where} {expectation}.{_hint(field)}"))
    return struct(**values) if len(faults) == before else None


def _hint(field: msgspec.structs.FieldInfo) -> str:
    """The field's own description, which says what it takes."""
    for meta in getattr(field.type, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta) and meta.description:
            return f" {meta.description}"
    return ""

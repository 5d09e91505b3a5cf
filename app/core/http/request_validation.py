"""Checks of every request before its view: unstorable characters, too large ids, too deep JSON.

What a field may contain is up to forms and app/api/reading.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from flask import Flask, Response, current_app, request
from werkzeug.routing import IntegerConverter, ValidationError

from app.core.http.problems import Fault, problem_response
from app.core.http.responses import error_response, note_refused, wants_json
from app.core.json_decoding import field_with_nul, repeated_name
from app.core.numbers import MAX_ID, whole_number

API = ("/api/", "/v1/")
MANY_BRACKETS = 400  # shorter bodies cannot be nested too deep
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

View = TypeVar("View", bound=Callable[..., Any])


class BoundedInteger(IntegerConverter):
    """`<int:name>` of a path: digits 0 to 9, at most a bigint. Anything else is a 404."""

    regex = r"[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        """The number. Raises ValidationError if it is too large."""
        number = whole_number(value, most=MAX_ID)
        if number is None:
            raise ValidationError
        return number


def takes_json(view: View) -> View:
    """Mark a view outside the API that reads a JSON body.

    All other views take forms only.
    """
    view.takes_json = True  # type: ignore[attr-defined]
    return view


def check_request() -> Response | None:
    """Return None to let the request pass, else 404 (path), 400 that names the field, or 415."""
    if _CONTROL.search(request.path):
        return error_response(404)
    for name, value in request.args.items(multi=True):
        if "\x00" in name or "\x00" in value:
            return _refused("query", name)
    if request.path.startswith(API):
        # app/api/reading.py knows how large each body may be, and asks `field_with_nul`
        return None
    fields = [
        *request.form.items(multi=True),
        *((name, file.filename or "") for name, file in request.files.items(multi=True)),
    ]
    for name, value in fields:
        if "\x00" in name or "\x00" in value:
            return _refused("form", name)
    return _check_json() if request.is_json or _reads_json() else None


def _reads_json() -> bool:
    view = current_app.view_functions.get(request.endpoint or "")
    return getattr(view, "takes_json", False)


def _check_json() -> Response | None:
    if not _reads_json():
        return error_response(
            415, title="That is no form", remedy="Send it as the page's own form does."
        )
    data = request.get_data()
    if (field := field_with_nul(data)) is not None:
        return _refused("body", field)
    if data.count(b"[") + data.count(b"{") > MANY_BRACKETS:
        try:
            msgspec.json.decode(data)
        except RecursionError:
            return problem_response(
                400, "The body is nested too deep: send less deep lists and objects."
            )
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None  # the view says what is wrong with it
    if (name := repeated_name(data)) is not None:
        detail = f"{name} is given twice in one object: give it once."
        return problem_response(400, detail, [Fault("body", name, "repeated", detail)])
    return None


def _refused(place: str, name: str) -> Response:
    note_refused("odd input")
    field = name.replace("\x00", "\\0")[:60]
    what = f"The field {field}" if field else "The body"
    if wants_json():
        detail = f"{what} holds a character that cannot be stored (U+0000): remove it."
        return problem_response(400, detail, [Fault(place, field, "invalid", detail)])
    return error_response(
        400,
        title=f"{what} holds a character that cannot be stored",
        remedy="Go back, type it again and send it.",
    )


def init_app(app: Flask) -> None:
    """Bound `<int:...>` and check every request. Call it before any route is added."""
    app.url_map.converters["int"] = BoundedInteger
    app.before_request(check_request)

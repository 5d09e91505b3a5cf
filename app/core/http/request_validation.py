"""Checks of every request before its view: sizes, unstorable characters, large ids, deep JSON.

Sizes come first, and before anything looks into the text. What a field may contain is up to forms
and app/api/reading.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from itertools import chain
from typing import Any, TypeVar

import msgspec
from flask import Flask, Response, current_app, request
from werkzeug.routing import IntegerConverter, ValidationError

from app.core.http.problems import Fault, problem_response
from app.core.http.responses import error_response, note_refused, wants_json
from app.core.input_limits import (
    FIELD_CHARACTERS,
    FORM_FIELDS,
    HEAD_BYTES,
    most_request_bytes,
    size_in_words,
)
from app.core.json_decoding import field_with_nul, repeated_name
from app.core.numbers import MAX_ID, whole_number
from app.core.serving import REFUSED_BY_SERVER
from app.core.viewer import current_user

API = ("/api/", "/v1/")
LONGEST_QUOTE = 60  # characters of a field's name, or of a text
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
    """Mark a view outside the API that reads a JSON body. All others take forms only."""
    view.takes_json = True  # type: ignore[attr-defined]
    return view


def takes_more(most_bytes: int, *long_texts: str) -> Callable[[View], View]:
    """Allow a view's form more bytes than other forms, and these fields any number of characters.

    Somebody who is not signed in cannot send more.
    """

    def mark(view: View) -> View:
        view.most_bytes, view.long_texts = most_bytes, frozenset(long_texts)  # type: ignore[attr-defined]
        return view

    return mark


def check_request() -> Response | None:
    """Return None to let the request pass, else 404 (path), 400, 413 and 414 (a field), or 415.

    It runs before the check of the CSRF token, which reads the form.
    """
    if REFUSED_BY_SERVER in request.environ:
        return _refused_by_server(request.environ[REFUSED_BY_SERVER])
    if _CONTROL.search(request.path):
        return error_response(404)
    is_api = request.path.startswith(API)
    # Of the API each parameter has its limit, and app/api/reading.py checks the body.
    longest = HEAD_BYTES if is_api else FIELD_CHARACTERS
    for name, value in request.args.items(multi=True):
        if (refusal := _check_text("query", name, value, longest)) is not None:
            return refusal
    if is_api:
        return None
    return _check_form() or (_check_json() if request.is_json or _reads_json() else None)


def _check_form() -> Response | None:
    view = current_app.view_functions.get(request.endpoint or "")
    most_bytes: int = getattr(view, "most_bytes", 0)
    if most_bytes and current_user.is_authenticated:
        request.max_content_length = request.max_form_memory_size = most_bytes
    if _has_too_many_fields():
        remedy = f"Send at most {FORM_FIELDS:,} at once."
        return error_response(413, title="The form has too many fields", remedy=remedy)
    fields = chain(
        request.form.items(multi=True),
        ((name, file.filename or "") for name, file in request.files.items(multi=True)),
    )
    long_texts: frozenset[str] = getattr(view, "long_texts", frozenset())
    for name, value in fields:
        longest = most_bytes if name in long_texts else FIELD_CHARACTERS
        if (refusal := _check_text("form", name, value, longest)) is not None:
            return refusal
    return None


def _has_too_many_fields() -> bool:
    """Whether an encoded form has too many fields, which takes long to find out by reading them."""
    return (
        request.mimetype == "application/x-www-form-urlencoded"
        and request.get_data().count(b"&") >= FORM_FIELDS
    )


def _check_text(place: str, name: str, value: str, longest: int) -> Response | None:
    if max(len(name), len(value)) > longest:
        return _too_long(place, name, value, longest)
    return _refused(place, name, value) if "\x00" in name or "\x00" in value else None


def _too_long(place: str, name: str, value: str, longest: int) -> Response:
    note_refused("long input")
    status = 414 if place == "query" else 413
    if wants_json():
        field = name[:LONGEST_QUOTE]
        detail = f"{field} is too long: send at most {longest:,} characters."
        return problem_response(status, detail, [Fault(place, field, "too_long", detail)])
    remedy = f"Go back and shorten {_text_in_words(name, value)} to at most {longest:,} characters."
    return error_response(status, title="This text is too long", remedy=remedy)


def _text_in_words(name: str, value: str) -> str:
    """Which text of a page it is, for people, who do not know the names of fields."""
    beginning = " ".join(value.replace("\x00", "").split())[:LONGEST_QUOTE]
    if "password" in name:
        return "the password"
    return f"the text that starts with “{beginning}”" if beginning else "the text"


def _refused_by_server(status: int) -> Response:
    """Answer a request whose body the server did not read."""
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        most = size_in_words(most_request_bytes(request.path))
        remedy = f"Send at most {most} at once."
        return error_response(413, title="This is too large", remedy=remedy)
    response = error_response(
        status, title="Other large uploads are in progress", remedy="Try again in a minute."
    )
    response.retry_after = 60
    return response


def _reads_json() -> bool:
    view = current_app.view_functions.get(request.endpoint or "")
    return getattr(view, "takes_json", False)


def _check_json() -> Response | None:
    if not _reads_json():
        return error_response(
            415, title="We can't read that form", remedy="Go back and use the form on the page."
        )
    data = request.get_data()
    if (field := field_with_nul(data)) is not None:
        return _refused("body", field)
    if fault := _unreadable(data):
        return problem_response(400, fault)
    if (name := repeated_name(data)) is not None:
        detail = f"{name} appears twice in one object. Send it once."
        return problem_response(400, detail, [Fault("body", name, "repeated", detail)])
    return None


def _unreadable(data: bytes) -> str | None:
    """Why no view can read the JSON; if it is no JSON at all, the view says so."""
    try:
        data.decode()
        if data.count(b"[") + data.count(b"{") > MANY_BRACKETS:
            with suppress(msgspec.DecodeError):
                msgspec.json.decode(data)
    except UnicodeDecodeError as error:
        return f"The text is not valid UTF-8 ({error.reason}). Encode it as UTF-8."
    except RecursionError:
        return "The body is nested too deeply. Send flatter lists and objects."
    return None


def _refused(place: str, name: str, value: str = "") -> Response:
    note_refused("odd input")
    if wants_json():
        field = name[:LONGEST_QUOTE].replace("\x00", "\\0")
        what = f"The field {field}" if field else "The body"
        detail = f"{what} contains a character that cannot be stored (U+0000). Remove it."
        return problem_response(400, detail, [Fault(place, field, "invalid", detail)])
    return error_response(
        400,
        title="This text contains a character that cannot be stored",
        remedy=f"Go back, type {_text_in_words(name, value)} again and send it.",
    )


def init_app(app: Flask) -> None:
    """Bound `<int:...>` and check every request. Call it before any route is added."""
    app.url_map.converters["int"] = BoundedInteger
    app.before_request(check_request)

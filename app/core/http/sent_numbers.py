"""Numbers that a page's own links and hidden fields carry.

Absent or empty means "not sent". What was sent and is no number is never replaced by a default:
such an address does not exist, and such a form did not come from its page. Numbers that people type
are read with `typed_whole` and `typed_decimal` (app/core/numbers.py) and refused at their field.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from flask import Response, abort, request

from app.core.http.responses import error_response
from app.core.numbers import MAX_WHOLE, whole_number


def query_number(
    name: str, *, most: int = MAX_WHOLE, values: Mapping[str, str] | None = None
) -> int | None:
    """The number that the address gives for `name`, or None if it gives none.

    `values`: the arguments if they are not those of the current request.

    Raises:
        NotFound: What it gives is no whole number up to `most`.
    """
    sent = (request.args if values is None else values).get(name, "")
    if not sent:
        return None
    number = whole_number(sent, most=most)
    return abort(HTTPStatus.NOT_FOUND) if number is None else number


def form_number(
    name: str, *, most: int = MAX_WHOLE, values: Mapping[str, str] | None = None
) -> int | None:
    """The number in the hidden field `name` of the form, or None if the form has none.

    `values`: the fields if they are not those of the current request.

    Raises:
        HTTPException: The field holds no whole number up to `most`; the answer is a 400.
    """
    sent = (request.form if values is None else values).get(name, "")
    if not sent:
        return None
    number = whole_number(sent, most=most)
    return abort(_not_as_sent()) if number is None else number


def _not_as_sent() -> Response:
    return error_response(
        HTTPStatus.BAD_REQUEST,
        title="This form was changed",
        remedy="Reload the page and send it again.",
    )

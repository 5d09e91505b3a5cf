"""Errors for programs: one shape for every JSON error (RFC 9457, application/problem+json).

Error pages for people are in responses.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated

import msgspec
from flask import Response
from msgspec import Meta

MEDIA_TYPE = "application/problem+json"

# The default text for each status, written for the author of the calling program.
DETAILS = {
    400: "The request could not be read. Send it as described in /v1/openapi.json.",
    403: "The credentials of this request do not allow this.",
    404: "There is nothing at this address. /v1/openapi.json lists all endpoints.",
    405: "This method is not allowed here. The Allow header lists those that are.",
    413: "The body is too large. Send less at once.",
    415: "The body must be JSON. Send it with Content-Type: application/json.",
    429: "Too many requests. Wait the number of seconds in the Retry-After header.",
    500: (
        "Something broke on our side. Try again. If it keeps failing, give the operator this "
        "number:"
    ),
    503: (
        "A part of Pressbox is down. Send the same request again after the number of seconds in "
        "the Retry-After header."
    ),
}


class Fault(msgspec.Struct, frozen=True, rename={"place": "in"}):
    """One thing to change in the request."""

    place: Annotated[
        str,
        Meta(
            description="Where the fault is: `body`, `query`, `path` or `header`.",
            examples=["body"],
        ),
    ]
    field: Annotated[
        str,
        Meta(description="The field, with parts joined by dots.", examples=["client_meta.build"]),
    ]
    code: Annotated[str, Meta(description="A code for this kind of fault.", examples=["invalid"])]
    detail: Annotated[str, Meta(description="What to change, in one sentence.")]


class Problem(msgspec.Struct, frozen=True):
    """Every error of the API looks like this (RFC 9457)."""

    title: Annotated[str, Meta(description="The HTTP status in words.", examples=["Bad Request"])]
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: Annotated[
        str, Meta(description="What is wrong and what to do. It names the field if there is one.")
    ]
    errors: Annotated[
        Sequence[Fault], Meta(description="All faults of the request. Often empty.")
    ] = ()
    type: Annotated[
        str,
        Meta(
            description=(
                "Always `about:blank`, because the status says what kind of problem it is."
            )
        ),
    ] = "about:blank"


class ProblemError(Exception):
    """Ends a request with a problem. `headers` are added to the response, such as Retry-After."""

    def __init__(
        self,
        status: int,
        detail: str,
        faults: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.faults = faults
        self.headers = headers or {}

    def response(self) -> Response:
        """Return the problem as a response."""
        return problem_response(self.status, self.detail, self.faults, self.headers)


def problem_response(
    status: int, detail: str, faults: Sequence[Fault] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """Build a problem response."""
    problem = Problem(HTTPStatus(status).phrase, status, detail, faults)
    return Response(msgspec.json.encode(problem), status, headers, mimetype=MEDIA_TYPE)

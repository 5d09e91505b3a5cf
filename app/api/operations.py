"""Declares an operation of the API once, for request checks, the OpenAPI document and its tests.

The annotated parameters of a view say what it takes: the msgspec structs `path`, `query`, `headers`
and `body`, and the `caller` (security.py). It returns a struct that `answers` names, alone or with
its status. The document is written in document.py, requests are read in reading.py.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Any, NotRequired, TypedDict, TypeVar, Unpack, get_type_hints

import msgspec
import structlog
from flask import Flask, Response, request
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import InterfaceError, OperationalError
from werkzeug.routing import Map, UnicodeConverter

from app.api import answers, reading
from app.api.security import Security, authenticate, current_caller_key
from app.core.db import db
from app.core.http import api_rate_limits
from app.core.http.access import PUBLIC, audience
from app.core.http.api_rate_limits import CallLimits
from app.core.http.problems import DETAILS, ProblemError
from app.core.input_limits import API_BYTES
from app.core.redis.clients import RedisAway
from app.core.request_batching import BatchTimeoutError

log = structlog.get_logger(__name__)

GET, POST, PUT, PATCH, DELETE = "GET", "POST", "PUT", "PATCH", "DELETE"
RETRY_AFTER_SECONDS = 2
# The parts of a request; the view's parameter for each has its name.
PARTS = ("path", "query", "headers", "body")

JSON = "application/json"
Answer = msgspec.Struct | tuple[int, msgspec.Struct | None] | Response
View = TypeVar("View", bound=Callable[..., Answer])


@dataclass(frozen=True)
class Limits:
    """How often an operation may be called, and how large a request's body may be, in bytes.

    `caller`: calls by one key, player or member. `address`: calls from one address.
    """

    caller: str = ""
    address: str = ""
    body: int = API_BYTES


COSTLY_CALLS = Limits(caller="60 per minute")  # of work that takes longer than a page


@dataclass(frozen=True)
class Operation:
    """One method of one path.

    `answers`: the body by status, None for an empty one. `problems`: their causes by status.
    `media_type`: of the answers; if it is not JSON, the view itself builds a Response of such
    bodies.
    """

    method: str
    path: str
    tag: str
    view: Callable[..., Answer]
    security: Sequence[Security]
    answers: Mapping[int, type[msgspec.Struct] | None]
    problems: Mapping[int, str]
    limits: Limits
    takes: Mapping[str, type[msgspec.Struct]] = field(default_factory=dict)
    media_type: str = JSON

    @property
    def id(self) -> str:
        """The operation id in the document."""
        return self.view.__name__

    @cached_property
    def texts(self) -> tuple[str, str]:
        """Summary and description: the first line of the view's docstring and the other lines."""
        summary, _, description = inspect.cleandoc(self.view.__doc__ or "").partition("\n")
        return summary.rstrip("."), description.strip()

    @cached_property
    def refusals(self) -> dict[int, str]:
        """Every problem that it may answer: its own, and those of everything that it takes."""
        problems = {503: DETAILS[503]}
        if self.takes:
            problems[400] = "A field is missing or wrong; `errors` lists each."
        if self.security:
            problems[401] = (
                "The Authorization header is missing, or its credentials are invalid or expired."
            )
            problems[403] = "The request is signed, but its credentials do not allow this."
        if "body" in self.takes:
            problems[413] = f"The body is larger than {self.limits.body} bytes."
            problems[415] = DETAILS[415]
        if self.limits.caller or self.limits.address:
            problems[429] = DETAILS[429]
        return dict(sorted((problems | dict(self.problems)).items()))


OPERATIONS: list[Operation] = []


class Declaration(TypedDict):
    """The keywords of `operation`; see Operation.

    `security`: the ways to sign a request, any of which is enough; empty if everybody may call.
    """

    tag: str
    answers: Mapping[int, type[msgspec.Struct] | None]
    security: NotRequired[Sequence[Security]]
    problems: NotRequired[Mapping[int, str]]
    limits: NotRequired[Limits]
    media_type: NotRequired[str]


def operation(method: str, path: str, **declared: Unpack[Declaration]) -> Callable[[View], View]:
    """Declare the view as an operation of the API."""
    security = tuple(declared.get("security", ()))

    def declare(view: View) -> View:
        hints = get_type_hints(view)
        takes = {part: hints[part] for part in PARTS if part in hints}
        unknown = set(inspect.signature(view).parameters) - {*PARTS, "caller"}
        named = set(re.findall(r"{(\w+)}", path))
        assert not unknown, f"{view.__name__} takes {unknown}: use {PARTS} or caller"
        assert (
            named == {f.encode_name for f in msgspec.structs.fields(takes["path"])}
            if named
            else "path" not in takes
        )
        assert ("caller" in hints) <= bool(security), f"{view.__name__}: a caller needs security"
        OPERATIONS.append(
            Operation(
                method=method,
                path=path,
                tag=declared["tag"],
                view=view,
                security=security,
                answers=declared["answers"],
                problems=declared.get("problems", {}),
                limits=declared.get("limits", Limits()),
                takes=takes,
                media_type=declared.get("media_type", JSON),
            )
        )
        return view

    return declare


def _endpoint(op: Operation) -> Callable[..., ResponseReturnValue]:
    parameters = inspect.signature(op.view).parameters

    limits = CallLimits.of(address=op.limits.address, caller=op.limits.caller)

    def endpoint(**path: str) -> ResponseReturnValue:
        request.max_content_length = op.limits.body
        try:
            caller = authenticate(op.security)
            values: dict[str, Any] = reading.read(op.takes, path)
            if "caller" in parameters:
                values["caller"] = caller
            api_rate_limits.count(
                limits, str(request.remote_addr), current_caller_key(), f"api.{op.id}"
            )
            return _response(op, op.view(**values))
        except (OperationalError, InterfaceError, BatchTimeoutError, *RedisAway) as error:
            log.warning("store_away", operation=op.id, reason=type(error).__name__)
            db.session.rollback()
            raise ProblemError(
                503, DETAILS[503], headers={"Retry-After": str(RETRY_AFTER_SECONDS)}
            ) from error

    endpoint.__doc__ = op.view.__doc__
    return audience(PUBLIC)(endpoint)


def _response(op: Operation, answer: Answer) -> Response:
    if isinstance(answer, Response):
        if answer.status_code not in (HTTPStatus.NOT_MODIFIED, HTTPStatus.PRECONDITION_FAILED):
            declared_type = (answer.status_code in op.answers, answer.mimetype)
            assert declared_type == (True, op.media_type), op.id
        return answer
    status, body = answer if isinstance(answer, tuple) else (next(iter(op.answers)), answer)
    declared = op.answers[status]
    if declared is None:
        return Response(status=status)
    assert isinstance(body, declared), f"{op.id} answered {type(body).__name__} with {status}"
    if op.method == GET and status == HTTPStatus.OK:
        return answers.read_answer(body)
    return Response(answers.encode(body), status, mimetype=JSON)


class OtherThan(UnicodeConverter):
    """`<other_than("import", "join"):name>` of a path: any text but these words."""

    def __init__(self, url_map: Map, *words: str) -> None:
        super().__init__(url_map)
        self.regex = rf"(?!(?:{'|'.join(map(re.escape, words))})\Z)[^/]+"


def _rule(path: str) -> str:
    """Flask's rule for the path of an operation.

    A name is never a word that another operation has there: `/leagues/{league}` is not the address
    `/leagues/import`, which has methods of its own.
    """
    names = path.split("/")
    segments = [*names]
    others = [op.path.split("/") for op in OPERATIONS]
    for index, segment in enumerate(names):
        if not segment.startswith("{"):
            continue
        words = {
            other[index]
            for other in others
            if len(other) == len(names)
            and other[:index] == names[:index]
            and not other[index].startswith("{")
        }
        converter = f"other_than({', '.join(map(repr, sorted(words)))}):" if words else ""
        segments[index] = f"<{converter}{segment[1:-1]}>"
    return "/".join(segments)


def init_app(app: Flask, csrf: Any) -> None:
    """Route every declared operation.

    Flask-WTF ignores them: security.py checks the CSRF token if only a cookie signs a request.
    """
    app.url_map.converters["other_than"] = OtherThan
    for op in OPERATIONS:
        endpoint = _endpoint(op)
        endpoint.__module__, endpoint.__name__ = op.view.__module__, op.id
        csrf.exempt(endpoint)
        app.add_url_rule(
            _rule(op.path), endpoint=f"api.{op.id}", view_func=endpoint, methods=[op.method]
        )

"""The pages: forms that are sent, query strings, headers.

No error of ours; a refused form changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.errors import assert_says_what
from tests.fuzz.requests import Requests, form, text_of
from tests.web.odd_values import entries
from tests.web.sending import Forms

API = (b"/v1/", b"/api/")
JSON = {"Content-Type": "application/json"}
WORDS = (
    "%00",
    "%0d%0a",
    "HX-Request: true",
    "next=//",
    "csrf_token",
    "2026-02-31",
    "-1",
    "application/json",
)
served: list[Requests] = []


def begin() -> None:
    served.append(Requests())


def seeds() -> Iterator[bytes]:
    """Each page, each form as a browser would send it untouched, and entries of the console."""
    (requests,) = served
    names = set()
    rules = [
        rule
        for rule in requests.app.url_map.iter_rules()
        if not rule.rule.startswith(("/v1", "/api", "/static"))
    ]
    for rule in rules:
        if "GET" not in (rule.methods or ()):
            continue
        path = requests.sender.path(rule)
        yield text_of("GET", path, headers={"HX-Request": "true"})
        answer = requests.sender.send(requests.sender.client(rule), "GET", path, rule.rule)
        if answer is None or answer.mimetype != "text/html":
            continue
        for action, method, fields in Forms(answer.text).found:
            target = action or path
            if target not in names:
                names.add(target)
                yield (
                    form(target, fields)
                    if method == "POST"
                    else text_of("GET", f"{target}?{_query(fields)}")
                )
    for rule in rules:
        if "POST" in (rule.methods or ()) and (path := requests.sender.path(rule)) not in names:
            yield (
                text_of("POST", path, entries()[0].decode(), JSON)
                if "console" in rule.rule
                else form(path, {"x": "1"})
            )


def _query(fields: dict[str, str]) -> str:
    return "&".join(f"{name}={value}" for name, value in fields.items())


def one_input(data: bytes) -> None:
    _, _, target = data.partition(b" ")
    if target.startswith(API):
        return
    answer = served[0].send(data)
    if answer is not None and 400 <= answer.status_code < 500 and not data.startswith(b"HEAD"):
        assert_says_what(answer.text, 2_000_000)

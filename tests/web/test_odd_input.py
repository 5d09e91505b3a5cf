"""Odd input on every route: in the path, the query, form fields, JSON and headers.

Nothing may answer 500.

The routes come from the URL map; the names of fields are those that the views ask for and that the
rendered forms hold.
"""

from __future__ import annotations

import inspect
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from flask_wtf import FlaskForm
from werkzeug.routing import Rule

from app.api.operations import OPERATIONS
from app.core.http.rate_limits import limiter
from app.core.input_limits import FIELD_CHARACTERS, FORM_BYTES, NORMALIZED_CHARACTERS
from tests.conftest import emptied
from tests.sizes import FULL
from tests.web.odd_values import BODIES, HEADERS, MORE, NASTY, entries
from tests.web.sending import Asked, Forms, Sender, noting
from tests.worlds.whole_site import ROLES, World, make_world

Value = TypeVar("Value")


@pytest.fixture(scope="module")
def app(_migrated: Flask) -> Iterator[Flask]:
    with emptied(_migrated) as app:
        yield app


@pytest.fixture(scope="module")
def world(app: Flask) -> World:
    def sign_in(role: str) -> FlaskClient:
        client = app.test_client()
        answer = client.post("/sign-in", data={"username": role, "password": "on the record"})
        assert answer.status_code == 303, (role, answer.text)
        return client

    limiter.enabled = False
    return make_world(app, sign_in)


@dataclass(frozen=True)
class Names:
    """By endpoint: the forms of all pages as filled in, and the names that views read."""

    forms: Mapping[str, dict[str, str]]
    in_queries: Mapping[str, set[str]]
    in_bodies: Mapping[str, set[str]]


@pytest.fixture(scope="module")
def names(world: World) -> Names:
    """Found out while the world is new.

    What the tests send takes forms away, as leaving a league does.
    """
    sender = Sender(world)
    forms: dict[str, dict[str, str]] = {}
    in_queries = names_asked_for(world, sender, "GET", forms)
    return Names(forms, in_queries, names_asked_for(world, sender, "POST", forms))


def rules(app: Flask) -> list[tuple[Rule, str]]:
    """Every route with its method."""
    return [
        (rule, method)
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


def assert_no_500(sender: Sender) -> None:
    listing = "\n".join(f"{what}: {target}" for what, target in sorted(sender.broken.items()))
    for role in ROLES:
        assert sender.world.clients[role].get("/leagues").status_code == 200, (
            f"the {role} is not signed in any more"
        )
    assert not sender.broken, f"{len(sender.broken)} of {sender.sent} answered 500:\n{listing}"


def some(odd: list[Value], number: int, count: int = 1) -> list[Value]:
    """The values that place number `number` is tried with.

    All in a full run, otherwise `few` of them, in turns.
    """
    return (
        odd if FULL else [odd[(count * number + n) % len(odd)] for n in range(min(count, len(odd)))]
    )


def every_variable_of_a_path(world: World, sender: Sender, odd: list[str]) -> None:
    places = count()
    for rule, method in rules(world.app):
        for name in sorted(rule.arguments):
            for value in some(odd, next(places)):
                target = sender.path(rule, **{name: value})
                sender.send(
                    sender.client(rule), method, target, f"{rule.rule} <{name}>={value[:20]!r}"
                )


def every_parameter_of_a_query(
    world: World, sender: Sender, asked: Mapping[str, set[str]], odd: list[str]
) -> set[str]:
    """On every route that is read, each name that its view asks for. Gives these names.

    A full run also sends every route a `next`, which most views do not read.
    """
    everywhere = {"next"} if FULL else set()
    places = count()
    for rule, method in rules(world.app):
        for name in sorted({*everywhere, *asked.get(rule.endpoint, ())}) if method == "GET" else ():
            for value in some(odd, next(places)):
                sender.send(
                    sender.client(rule),
                    "GET",
                    sender.path(rule),
                    f"{rule.rule} ?{name}={value[:20]!r}",
                    query_string={name: value},
                )
    return {name for names in asked.values() for name in names}


def every_field_of_a_form(world: World, sender: Sender, names: Names, odd: list[str]) -> set[str]:
    """Each field of each form, the others as the page holds them.

    Then each name that the view asks for, alone.

    Gives the names of the fields tried.
    """
    tried = set()
    places = count()
    for rule, method in rules(world.app):
        if method != "POST" or rule.rule.startswith(("/v1", "/api")):
            continue
        fields = names.forms.get(rule.endpoint, {})
        for name in sorted({*fields, *names.in_bodies.get(rule.endpoint, ())}):
            tried.add(name)
            for value in some(odd, next(places)):
                what = f"{rule.rule} {name}={value[:20]!r}"
                sender.send(
                    sender.client(rule),
                    "POST",
                    sender.path(rule),
                    what,
                    data=fields | {name: value},
                )
    return tried


def names_asked_for(
    world: World, sender: Sender, method: str, forms: dict[str, dict[str, str]]
) -> dict[str, set[str]]:
    """Also adds the forms of the pages that are answered."""
    asked = Asked()
    kind = world.app.request_class
    world.app.request_class = type("Noting", (kind,), {"parameter_storage_class": noting(asked)})
    try:
        for rule, rule_method in rules(world.app):
            if rule_method == method and rule.endpoint != "accounts.sign_out":
                asked.endpoint = rule.endpoint
                answer = sender.send(
                    sender.client(rule),
                    method,
                    sender.path(rule),
                    rule.rule,
                    data={"x": "1"} if method == "POST" else None,
                )
                if method == "GET" and answer is not None and answer.mimetype == "text/html":
                    add_forms(world, answer.text, sender.path(rule), forms)
    finally:
        world.app.request_class = kind
    return asked.names


def add_forms(world: World, page: str, path: str, forms: dict[str, dict[str, str]]) -> None:
    """The forms of the page by target endpoint, filled in as it has them."""
    match = world.app.url_map.bind("localhost").match
    for action, sent_by, fields in Forms(page).found:
        if sent_by == "POST" and not action.startswith("#"):  # a sample of the style guide
            endpoint, _ = match(urlsplit(action).path or path, method="POST")
            forms.setdefault(endpoint, {}).update(fields)


def every_body(world: World, sender: Sender) -> None:
    places = count()
    for rule, method in rules(world.app):
        if method in ("POST", "PUT"):
            for body in some(BODIES, next(places)):
                for kind in ("application/json", "application/x-www-form-urlencoded")[
                    : 2 if body in BODIES[:7] else 1
                ]:
                    what = f"{rule.rule} {kind} {body[:30]!r}"
                    sender.send(
                        sender.client(rule),
                        method,
                        sender.path(rule),
                        what,
                        data=body,
                        content_type=kind,
                    )
            for entry in entries() if rule.endpoint == "console.enter" else ():
                what = f"{rule.rule} {entry[:300]!r}"
                sender.send(
                    sender.client(rule),
                    method,
                    sender.path(rule),
                    what,
                    data=entry,
                    content_type="application/json",
                )


def every_header(world: World, sender: Sender) -> None:
    """Headers are read at one place for all routes: an ordinary run tries every fourth."""
    places = count()
    for rule, method in rules(world.app)[:: 1 if FULL else 4]:
        for headers in some(HEADERS, next(places)):
            sender.send(
                sender.client(rule),
                method,
                sender.path(rule),
                f"{rule.rule} {headers}"[:200],
                headers=headers,
            )


def every_role(world: World, sender: Sender) -> None:
    """Every route with real values as a page and as htmx asks for it.

    In a full run for every role and a stranger, otherwise for one of them or by htmx, in turns.
    """
    for number, (rule, method) in enumerate(rules(world.app)):
        if FULL or number % 2:
            for role, client in some(list(world.clients.items()), number):
                if rule.endpoint != "accounts.sign_out":
                    sender.send(client, method, sender.path(rule), f"{rule.rule} as {role}")
        if FULL or not number % 2:
            what = f"{rule.rule} by htmx"
            sender.send(
                sender.client(rule), method, sender.path(rule), what, headers={"HX-Request": "true"}
            )


def fields_of_forms() -> set[str]:
    """Names of the fields of every form class there is."""
    fields, classes = set(), list(FlaskForm.__subclasses__())
    while classes:
        kind = classes.pop()
        classes += kind.__subclasses__()
        if kind.__module__.startswith(("app.", "scorer_console.")):
            fields |= {
                field.name or name
                for name, field in inspect.getmembers(kind)
                if hasattr(field, "field_class")
            }
    return fields


@pytest.mark.sized
@pytest.mark.timeout(1800)
def test_odd_values_in_paths_queries_and_form_fields(
    world: World, names: Names, measured: Callable[[str], None]
) -> None:
    sender = Sender(world)
    every_role(world, sender)
    every_variable_of_a_path(world, sender, NASTY)
    tried = every_parameter_of_a_query(world, sender, names.in_queries, NASTY)
    tried |= every_field_of_a_form(world, sender, names, NASTY)
    measured(
        f"odd paths, queries and forms: {sender.sent} requests, {len(sender.broken)} answered 500"
    )
    assert_no_500(sender)
    assert fields_of_forms() - tried == set(), "fields of forms that no request tried"


@pytest.mark.sized
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("names")  # found out before these requests change the world
def test_odd_bodies_and_headers(world: World, measured: Callable[[str], None]) -> None:
    sender = Sender(world)
    every_body(world, sender)
    every_header(world, sender)
    measured(f"odd bodies and headers: {sender.sent} requests, {len(sender.broken)} answered 500")
    assert_no_500(sender)


@pytest.mark.full  # test_long_input.py tries one text of each kind
@pytest.mark.timeout(1800)
def test_marks_in_every_text_reach_no_work_that_grows_faster_than_they_do(
    world: World, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unicode Standard Annex 15: reordering marks in a row takes the square of their number."""
    sender = Sender(world)
    lengths: list[int] = []
    normalize = unicodedata.normalize

    def count(form: str, text: str) -> str:
        lengths.append(len(text))
        return normalize(form, text)

    monkeypatch.setattr("app.core.normal_forms.unicodedata.normalize", count)
    longest = "\u0301\u0316" * (FIELD_CHARACTERS // 2)
    every_field_of_a_form(world, sender, names, [longest])
    assert max(lengths) == FIELD_CHARACTERS, "else the views were not reached"
    every_parameter_of_a_query(world, sender, names.in_queries, [longest])
    for rule, method in rules(world.app):
        fields = names.forms.get(rule.endpoint, {})
        if method == "POST" and fields:  # each letter takes six bytes of a form
            form = dict.fromkeys(fields, longest * (FORM_BYTES // 7 // len(longest) // len(fields)))
            sender.send(sender.client(rule), method, sender.path(rule), rule.rule, data=form)
    for operation in OPERATIONS:
        rule = next(rule for rule, _ in rules(world.app) if rule.endpoint == f"api.{operation.id}")
        if (body := operation.takes.get("body")) is not None:
            names_of_fields = [field.encode_name for field in msgspec.structs.fields(body)]
            letters = operation.limits.body // 7 // len(names_of_fields)
            fields = dict.fromkeys(names_of_fields, longest[0] * letters)
            target = sender.path(rule)
            sender.send(sender.client(rule), operation.method, target, operation.id, json=fields)
    assert max(lengths) <= NORMALIZED_CHARACTERS
    assert_no_500(sender)


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_many_more_odd_values(world: World, names: Names, measured: Callable[[str], None]) -> None:
    sender = Sender(world)
    every_variable_of_a_path(world, sender, MORE)
    every_parameter_of_a_query(world, sender, names.in_queries, MORE)
    every_field_of_a_form(world, sender, names, MORE)
    measured(f"many more odd values: {sender.sent} requests, {len(sender.broken)} answered 500")
    assert_no_500(sender)

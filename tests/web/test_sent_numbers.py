"""What is sent and is no number is refused, never replaced by a default."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.core import clock
from app.fantasy.market.models import Season
from tests.worlds.draft_market import make_market

APP = Path(__file__).parents[2] / "app"
# Readers whose result is None for what is no number.
READERS = {"whole_number", "typed_whole", "typed_decimal"}
# An id of 0 finds nobody, so these refuse what is no id.
FINDS_NOBODY = {
    "app/fantasy/leagues/adjustments.py",
    "app/fantasy/pages/commissioner/views.py",
    "app/draft_leagues/pages/commissioner_views.py",
    "app/fantasy/pages/team_sheet/forms.py",
}


def replacements(path: Path) -> Iterator[int]:
    """Lines on which a value that was sent gets a default if it cannot be read."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_get = node.func.attr in {"get", "getlist"}
            if is_get and any(keyword.arg == "type" for keyword in node.keywords):
                yield node.lineno
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            first, last = node.values[0], node.values[-1]
            name = first.func if isinstance(first, ast.Call) else None
            is_reader = isinstance(name, ast.Name) and name.id in READERS
            if is_reader and isinstance(last, ast.Constant):
                yield node.lineno


def test_no_reader_of_a_request_has_a_default_for_what_was_sent() -> None:
    readers = {
        f"{path.relative_to(APP.parent)}:{line}"
        for path in sorted(APP.rglob("*.py"))
        for line in replacements(path)
        if str(path.relative_to(APP.parent)) not in FINDS_NOBODY
    }
    assert not readers, "use query_number or form_number, or refuse it at its field"


@pytest.fixture
def market(app: Flask) -> Season:
    return make_market(first=clock.now() + timedelta(days=3))


@pytest.mark.parametrize(
    "address",
    [
        "/players?page=two",
        "/players?page=0",
        "/players?season=x",
        "/leagues/new?season=x",
        "/leagues/draft/new?season=99",
        "/leagues/draft/import?season=x",
    ],
)
def test_an_address_with_a_number_that_is_none_does_not_exist(
    address: str, market: Season, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    assert sign_in(username="ann").get(address).status_code == 404

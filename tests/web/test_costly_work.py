"""Whatever does more than a page's work has a limit of its own."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.api.operations import OPERATIONS
from app.core.http.access import MEMBER, PUBLIC, audience_of
from app.core.http.rate_limits import limiter
from tests.draft_leagues.rankings.test_pages import HERE, ann

__all__ = ["ann"]

# Work whose size the caller chooses, or that computes for a file what pages show in parts.
COSTLY = re.compile(
    r"import|export|preview|dry-run|what-if|replay|rollback|picture\.png|reverse|/next$|/repeat$"
    r"|/scoring$|\.(csv|json|xml|zip)$"
)
# Pages with a form or a list; the costly work is another route.
PAGES = frozenset(
    {
        "draft_import.choose",
        "draft_rankings.choose_file",
        "league_scoring.scoring",
        "what_if.show",
        "what_if.rules",
    }
)
LISTS = frozenset({"GET /v1/games/{game}/rollbacks"})


def costly_views(app: Flask) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The costly views that people reach who are not staff."""
    for rule in app.url_map.iter_rules():
        view = inspect.unwrap(app.view_functions[rule.endpoint])
        is_for_many = {PUBLIC, MEMBER} & set(audience_of(app, rule.endpoint))
        if not is_for_many or rule.rule.startswith(("/v1/", "/api/")) or rule.endpoint in PAGES:
            continue
        if COSTLY.search(rule.rule) or "request.files" in inspect.getsource(view):
            yield rule.endpoint, view


def is_limited(view: Callable[..., Any]) -> bool:
    """Whether one of the view's decorators is a limit."""
    [function] = ast.parse(textwrap.dedent(inspect.getsource(view))).body
    assert isinstance(function, ast.FunctionDef)
    return any("limit" in ast.unparse(decorator) for decorator in function.decorator_list)


def test_every_costly_page_has_a_limit(app: Flask) -> None:
    views = list(costly_views(app))
    assert {"draft_rankings.preview", "draft_import.read"} <= {endpoint for endpoint, _ in views}
    assert [endpoint for endpoint, view in views if not is_limited(view)] == []


def test_every_costly_operation_has_a_limit() -> None:
    unlimited = [
        f"{operation.method} {operation.path}"
        for operation in OPERATIONS
        if COSTLY.search(operation.path)
        and f"{operation.method} {operation.path}" not in LISTS
        and not operation.limits.caller + operation.limits.address
    ]
    assert unlimited == []


def test_a_member_who_imports_rankings_without_end_has_to_wait(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limiter, "enabled", True)
    statuses = [ann.post(f"{HERE}/import").status_code for _ in range(11)]
    assert statuses == [422] * 10 + [429]

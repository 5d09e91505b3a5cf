"""Members read what they can do, not what an operator would have to; and which day a time is of."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from app.core import clock, time_tags

PAGES = (
    "/",
    "/games",
    "/tournaments",
    "/notices/choices",
    "/account/email",
    "/account",
    "/forgot",
    "/boards",
)
OF_OPERATORS = re.compile(r"\boperators?\b|\binstallation\b|<code>pressbox ", re.IGNORECASE)


@pytest.mark.parametrize("path", PAGES)
def test_no_page_of_a_member_speaks_to_operators(
    sign_in: Callable[..., FlaskClient], path: str
) -> None:
    page = sign_in("member").get(path, follow_redirects=True)
    main = page.text[page.text.index("<main") : page.text.index("</main>")]
    assert page.status_code == 200
    assert OF_OPERATORS.findall(main) == []


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (timedelta(hours=3), "Wed 17:00"),
        (timedelta(days=5, hours=23), "Tue 13:00"),
        (timedelta(days=6, hours=3), "Tue 1 Dec, 17:00"),
        (timedelta(days=7), "Wed 2 Dec, 14:00"),
        (timedelta(days=-1), "Tue 24 Nov, 14:00"),
    ],
)
def test_a_weekday_stands_alone_only_where_it_is_the_next_one(
    monkeypatch: pytest.MonkeyPatch, ahead: timedelta, words: str
) -> None:
    now = datetime(2026, 11, 25, 14, tzinfo=UTC)  # a Wednesday
    monkeypatch.setattr(clock, "now", lambda: now)
    assert f">{words}</time>" in time_tags.when(now + ahead, "weekday")

"""Pages of moderation and of accounts that are full.

Accessible, and never wider than the narrowest phone.

How they look in an ordinary state is shown by test_every_page.py.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page
from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.boards.models import BoardRecord, Mode
from app.core import clock
from app.core.db import db
from app.moderation import appealing, freezing, inbox, rollback, sanctions
from app.moderation.models import Rollback
from app.moderation.selection import Selection
from app.scores.events import ScoreEvent
from scorer_console.record.numbering import Entry
from tests.e2e.looking import NARROWEST, PHONE, accessible, fits_the_window
from tests.scores.conftest import game, make_mode, players
from tests.worlds import score_log as scores_log
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.score_log import Log, score_event
from tests.worlds.scorer import leave, submit

__all__ = ["game", "make_mode", "players"]
pytestmark = pytest.mark.e2e

LONG = "Wilhelmina-Wolverhampton-of-Wood"  # as long as a name can be
Pages = dict[str, list[str]]


@pytest.fixture
def full(
    make_mode: Callable[..., Mode],
    players: Callable[[int], list[UUID]],
    member: Callable[..., Member],
    monkeypatch: pytest.MonkeyPatch,
) -> Pages:
    """Paths by who looks at them.

    Bob is suspended, a score of Ann is taken back and appealed, Eve's waits, a board is frozen,
    somebody is reported.
    """
    now = clock.now()
    monkeypatch.setattr(scores_log, "NOW", now)
    meg, ann, bob = member("meg", "moderator"), member("ann"), member("bob")
    member("olive", "operator")
    ann.display_name = player_of(ann).display_name = LONG
    db.session.commit()
    mine, bobs, (eve, dan) = player_of(ann).id, player_of(bob).id, players(2)
    mode, log = make_mode(title="Longest field goal", decimals=1), Log()
    origin = {
        "address": "a" * 32,
        "device": "d" * 32,
        "client_meta": {"build": "7.1", "platform": "x" * 60},
    }
    at = [now - timedelta(minutes=10 - number) for number in range(5)]
    cheat, waits = (
        score_event(mode, mine, 5_000, at[0], **origin),
        score_event(mode, eve, 13, at[1], **origin),
    )
    log.put(cheat, waits, score_event(mode, dan, 40, at[2]), score_event(mode, bobs, 70, at[3]))
    log.consume()
    board = db.session.scalars(
        select(BoardRecord.id).where(
            BoardRecord.mode_id == mode.id, BoardRecord.window_id == "all-time"
        )
    ).one()
    freezing.freeze(board, by=meg.id, reason="A bot farm, it seems.", now=now)
    preview = rollback.preview(Selection(event_id=cheat.event_id))
    assert isinstance(preview, rollback.Preview)
    taken = rollback.make(
        Selection(event_id=cheat.event_id),
        digest=preview.digest,
        by=meg.id,
        reason="A bot.",
        now=clock.now(),
    )
    assert isinstance(taken, Rollback)
    sanctions.impose(
        bobs,
        sanctions.Measure("suspension", now + timedelta(days=3)),
        by=meg.id,
        reason="Rude.",
        now=now,
    )
    sanctions.lift(bobs, by=meg.id, reason="Said sorry.", now=clock.now())
    sanctions.impose(
        bobs,
        sanctions.Measure("suspension", now + timedelta(days=3)),
        by=meg.id,
        reason="Rude again.",
        now=now,
    )
    appealing.send(
        mine, "It was me, and here is a stream of it.", clock.now(), event_id=cheat.event_id
    )
    inbox.report(ann.id, bobs, "name", "It reads like another name.", clock.now())
    inbox.note(bobs, "The second account of somebody.", by=meg.id, now=clock.now())
    make_game("g1")
    submit(
        "g1",
        [Entry(body, f"start:{i}") for i, body in enumerate(touchdown_drive()[:2])],
        clock.now(),
    )
    leave("g1", clock.now())
    return paths_to(
        mode, {"ann": ann.id, "bob": bobs, "dan": dan, "mine": mine}, cheat, waits, taken
    )


def paths_to(
    mode: Mode, people: dict[str, Any], cheat: ScoreEvent, waits: ScoreEvent, taken: Rollback
) -> Pages:
    name = f"nova-run:{mode.slug}:all-time"
    return {
        "meg": [
            "/moderation",
            "/moderation/scores",
            f"/moderation/scores/{waits.event_id}",
            "/moderation/players?q=wil",
            f"/moderation/players/{people['bob']}?done=sanction",
            f"/moderation/players/{people['mine']}",
            "/moderation/rollbacks",
            f"/moderation/rollbacks?mode_id={mode.id}&player_id={people['dan']}",
            f"/moderation/rollbacks?mode_id={mode.id}",
            f"/moderation/rollbacks/{taken.id}/undo",
            f"/moderation/attempts/{cheat.event_id}",
            f"/moderation/attempts/{waits.event_id}?done=restore",
            "/moderation/events/g1/1",
            f"/moderation/boards?board={name}",
            "/moderation/boards?board=none:of:these",
            f"/moderation/limits/{mode.id}?per_minute=1&per_hour=20&reach=2",
            "/moderation/audit",
        ],
        "ann": [
            "/account?done=session",
            "/appeals",
            f"/report/{people['bob']}",
        ],
        "olive": [f"/ops/accounts/{people['ann']}"],
    }


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_full_pages_are_accessible_and_fit_the_narrowest_phone(
    full: Pages, open_page: Callable[..., Page], scheme: str
) -> None:
    for who, paths in full.items():
        page = open_page(
            who, viewport=PHONE | {"width": NARROWEST}, color_scheme=scheme, expect_errors=["422"]
        )
        for path in paths:
            answer = page.goto(path)
            assert answer is not None
            assert answer.status in (200, 422), path
            accessible(page)
            fits_the_window(page)

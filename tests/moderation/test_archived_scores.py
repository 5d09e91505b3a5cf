"""What moderators, integrators and players are told about scores of archived months."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.boards.models import Mode
from app.core.blob_store import BlobStore
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import appealing, privacy, rollback
from app.moderation.models import Rollback
from app.moderation.rollback import Preview
from app.moderation.selection import Selection
from app.scores.archive.services import restore
from app.scores.events import ScoreEvent
from app.scores.models import ScoreAttempt
from app.scores.review import corrections
from tests.pages import without_tokens
from tests.worlds.score_log import NOW, Log, score_event
from tests.worlds.score_months import ARCHIVED_AT, IN_JANUARY, JANUARY, archive, score_months

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
REMEDY = "pressbox scores restore 2026-01"


@pytest.fixture
def store(app: object, tmp_path: Path) -> Iterator[BlobStore]:
    with score_months(tmp_path) as empty:
        yield empty


def play(mode: Mode, player: UUID, score: int) -> ScoreEvent:
    event = score_event(mode, player, score, IN_JANUARY)
    log = Log()
    log.put(event)
    log.consume()
    return event


def taken_back(player: UUID) -> Rollback:
    selection = Selection(player_id=player)
    previewed = rollback.preview(selection)
    assert isinstance(previewed, Preview)
    new_rollback = rollback.make(
        selection, digest=previewed.digest, by=None, reason="a bot", now=NOW
    )
    assert isinstance(new_rollback, Rollback)
    return new_rollback


def test_a_rollback_of_archived_scores_is_undone_after_they_are_back(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    ann, bob = players(2)
    play(mode, ann, 5)
    play(mode, bob, 6)
    new_rollback = taken_back(ann)
    archive(store)
    games = [mode.game_id]
    assert rollback.latest(None) == [new_rollback]
    assert rollback.latest(games) == []  # whose scores they were is not looked up
    for refused in (
        rollback.undo(new_rollback.id, by=None, reason="no bot", now=NOW),
        rollback.preview_undo(new_rollback.id),
    ):
        assert isinstance(refused, list)
        assert REMEDY in refused[0].text
    previewed = rollback.preview(Selection(player_id=bob))
    assert isinstance(previewed, Preview)
    assert (previewed.attempts, REMEDY in previewed.cold) == (0, True)
    later = rollback.preview(Selection(player_id=bob, since=NOW, until=NOW + timedelta(days=1)))
    assert isinstance(later, Preview)
    assert later.cold == ""

    restore(store, JANUARY, ARCHIVED_AT)
    assert rollback.latest(games) == [new_rollback]
    assert isinstance(rollback.undo(new_rollback.id, by=None, reason="no bot", now=NOW), Rollback)
    assert set(db.session.scalars(select(ScoreAttempt.rolled_back_at))) == {None}


def test_pages_and_decisions_say_that_a_score_is_archived_and_how_it_comes_back(
    store: BlobStore,
    make_mode: MakeMode,
    players: Players,
    sign_in: Callable[..., FlaskClient],
) -> None:
    event = play(make_mode(), players(1)[0], 5)
    moderator = sign_in("moderator")
    address = f"/moderation/attempts/{event.event_id}"
    inspected = moderator.get(address)
    archive(store)
    page = moderator.get(address)
    assert page.status_code == 404
    assert "This score is archived" in page.text
    assert REMEDY in page.text
    refused = corrections.roll_back(event.event_id, by=None, reason="a bot", now=NOW)
    assert isinstance(refused, Refusal)
    assert REMEDY in refused.text
    restore(store, JANUARY, ARCHIVED_AT)
    assert without_tokens(moderator.get(address).text) == without_tokens(inspected.text)


def test_a_decided_appeal_about_an_archived_score_stays_readable(
    store: BlobStore, make_mode: MakeMode, member: Callable[..., Member]
) -> None:
    player = player_of(member("ann"))
    db.session.commit()
    event = play(make_mode(), player.id, 5)
    corrections.roll_back(event.event_id, by=None, reason="a bot", now=NOW)
    appeal = appealing.send(player.id, "I am no bot.", NOW, event_id=event.event_id)
    assert not isinstance(appeal, Refusal)
    assert archive(store).waiting == {JANUARY: ["open appeals: 1"]}
    judge = member("judge", "moderator").id
    appealing.decide(appeal.id, granted=False, by=judge, answer="You are.", now=NOW)
    assert archive(store).archived == [JANUARY]
    (case,) = appealing.of_player(player.id)
    assert (case.about, case.why) == ("An archived score", "a bot")


def test_an_export_has_a_players_archived_scores(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(takes_metadata=True)
    ann, bob = players(2)
    play(mode, ann, 5)
    play(mode, bob, 6)
    whole = privacy.export_player(ann)["score_attempts"]
    archive(store)
    exported = privacy.export_player(ann)["score_attempts"]
    assert exported == whole
    assert json.dumps(exported)

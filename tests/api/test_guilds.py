"""Guilds: declared over the API and ranked by their members, in current and past windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select

from app.accounts.models import Player
from app.boards.archive.services import archive_boards
from app.boards.catalogue.rules import NewMode
from app.boards.groups import guilds
from app.boards.groups.models import GuildMember
from app.boards.models import BoardRecord, Mode
from app.core import clock
from app.core.blob_store import blob_store
from app.core.db import db
from app.scores.models import ScoreAttempt
from app.scores.review import corrections
from tests.worlds.callers import Callers, got
from tests.worlds.score_games import make_score_mode
from tests.worlds.score_log import Log, score_event

NOON = datetime(2026, 4, 5, 12, tzinfo=UTC)
YESTERDAY = NOON - timedelta(days=1)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    def go(moment: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: moment)

    go(NOON)
    return go


@pytest.fixture
def crew(callers: Callers, at: Any) -> list[UUID]:
    """Six players of the integrator, in the order of their ids."""
    players = [callers.register(f"g-{n}", f"P{n}") for n in range(6)]
    return sorted(players)


def put(
    callers: Callers, slug: str, members: Sequence[UUID], status: int = 200, game: str = "dice"
) -> Any:
    body = {"name": slug.title(), "member_ids": [str(member) for member in members]}
    answer = callers.game_server.put(f"/v1/games/{game}/guilds/{slug}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json


def score(mode: Mode, *sent: tuple[UUID, int], on: datetime = NOON) -> None:
    log = Log()
    log.put(*(score_event(mode, player, points, on) for player, points in sent))
    log.consume()


def board(
    callers: Callers, query: str = "", window: str = "all-time", mode: str = "ranked"
) -> list[tuple[Any, ...]]:
    path = f"/v1/games/dice/modes/{mode}/leaderboards/{window}/guilds"
    ranking = got(callers.app.test_client(), f"{path}?{query}")
    return [
        (entry["rank"], entry["guild"], entry["score"], entry["counted"], entry["members"])
        for entry in ranking["entries"]
    ]


def plainly(
    mode: Mode,
    members: Mapping[str, Sequence[UUID]],
    measure: str,
    top: int,
    *,
    lowest: bool = False,
) -> list[tuple[Any, ...]]:
    """From the attempts alone.

    Highest (or lowest) of each clean one, then the guild's measure, shared ranks.
    """
    rows = db.session.execute(
        select(ScoreAttempt.player_id, (func.min if lowest else func.max)(ScoreAttempt.score))
        .where(ScoreAttempt.mode_id == mode.id, ScoreAttempt.fraud_state == "clean")
        .where(ScoreAttempt.rolled_back_at.is_(None))
        .where(
            ScoreAttempt.player_id.not_in(select(Player.id).where(Player.hidden_at.is_not(None)))
        )
        .group_by(ScoreAttempt.player_id)
    )
    best = {player: points for player, points in rows}  # noqa: C416  (mypy reads it)
    ranking = []
    for slug, listed in members.items():
        best_scores = sorted(
            (best[player] for player in listed if player in best), reverse=not lowest
        )[:top]
        if best_scores:
            measures = {
                "sum": Fraction(sum(best_scores)),
                "best": Fraction(best_scores[0]),
                "mean": Fraction(sum(best_scores), len(best_scores)),
            }
            ranking.append((measures[measure], slug, len(best_scores), len(listed)))
    ranking.sort(key=lambda row: (row[0] if lowest else -row[0], row[1]))
    return [
        (
            1 + [other[0] for other in ranking].index(score),
            slug,
            pytest.approx(float(score), abs=1e-6),
            counted,
            size,
        )
        for score, slug, counted, size in ranking
    ]


@pytest.mark.parametrize("top", [1, 2, 100])
@pytest.mark.parametrize("measure", ["sum", "best", "mean"])
def test_a_board_of_guilds_is_what_a_plain_count_of_the_attempts_gives(
    callers: Callers, crew: list[UUID], measure: str, top: int
) -> None:
    members = {"owls": crew[:3], "rats": crew[3:5], "solo": crew[5:]}
    for slug, listed in members.items():
        put(callers, slug, listed)
    score(callers.mode, *zip(crew, (70, 30, 25, 70, 55, 40), strict=True), (crew[0], 10))
    query = f"measure={measure}&top={top}"
    assert board(callers, query) == plainly(callers.mode, members, measure, top)
    event = db.session.scalars(
        select(ScoreAttempt.event_id).where(ScoreAttempt.score == 70)
    ).first()
    assert event is not None
    corrections.roll_back(event, by=None, reason="a bot", now=NOON)
    assert board(callers, query) == plainly(callers.mode, members, measure, top)


def test_ties_share_a_rank_and_pages_fit_together(callers: Callers, crew: list[UUID]) -> None:
    members = {slug: [player] for slug, player in zip("abcdef", crew, strict=True)}
    for slug, listed in members.items():
        put(callers, slug, listed)
    score(callers.mode, *zip(crew, (5, 9, 5, 9, 1, 5), strict=True))
    whole = board(callers)
    assert [row[:2] for row in whole] == [
        (1, "b"),
        (1, "d"),
        (3, "a"),
        (3, "c"),
        (3, "f"),
        (6, "e"),
    ]
    assert [row for n in range(0, 6, 2) for row in board(callers, f"limit=2&offset={n}")] == whole


def test_where_the_lowest_is_best_the_lowest_guild_is(callers: Callers, crew: list[UUID]) -> None:
    new = NewMode("golf", "Golf", "highest", "dense", 0, 1000, order="lowest")
    mode = make_score_mode(callers.game, new, NOON)
    members = {"owls": crew[:3], "rats": crew[3:]}
    for slug, listed in members.items():
        put(callers, slug, listed)
    score(mode, *zip(crew, (70, 30, 25, 71, 55, 40), strict=True))
    ranking = board(callers, "measure=sum&top=2", mode="golf")
    assert [(rank, slug, points) for rank, slug, points, *_ in ranking] == [
        (1, "owls", 55),
        (2, "rats", 95),
    ]
    assert ranking == plainly(mode, members, "sum", 2, lowest=True)


def test_a_member_counts_with_all_they_hold_and_a_window_that_ended_stays_as_it_was(
    callers: Callers, crew: list[UUID], at: Any
) -> None:
    at(YESTERDAY)
    put(callers, "owls", crew[:2])
    put(callers, "rats", crew[2:4])
    score(callers.mode, *zip(crew, (10, 20, 40, 80, 160, 320), strict=True), on=YESTERDAY)
    before = [(1, "rats", 120, 2, 2), (2, "owls", 30, 2, 2)]
    assert board(callers, window="daily:2026-04-04") == before
    at(NOON)
    put(callers, "rats", crew[3:5])  # one left, one came with what they hold
    put(callers, "owls", [*crew[:2], crew[2]])
    put(callers, "cats", crew[5:])
    assert board(callers) == [(1, "cats", 320, 1, 1), (2, "rats", 240, 2, 2), (3, "owls", 70, 3, 3)]
    assert board(callers, window="daily:2026-04-04") == before, (
        "who was in it when the window ended"
    )
    archive_boards(blob_store(), NOON + timedelta(days=30))
    archived = select(BoardRecord.archived_at).where(BoardRecord.window_id == "daily:2026-04-04")
    assert db.session.scalar(archived) is not None
    assert board(callers, window="daily:2026-04-04") == before
    assert board(callers, window="daily:2026-04-05") == []


def test_who_is_hidden_counts_for_no_guild(callers: Callers, crew: list[UUID]) -> None:
    put(callers, "owls", crew[:2])
    score(callers.mode, *zip(crew, (10, 20), strict=False))
    answer = callers.game_server.post(
        f"/v1/games/dice/players/{crew[1]}/ban", json={"reason": "a bot"}
    )
    assert answer.status_code == 200, answer.text
    score(callers.mode, (crew[0], 11))
    members = {"owls": crew[:2]}
    assert board(callers) == plainly(callers.mode, members, "sum", 100)


def test_the_board_within_a_guild_ranks_its_members(callers: Callers, crew: list[UUID]) -> None:
    put(callers, "owls", crew[:3])
    score(callers.mode, *zip(crew[:2], (10, 20), strict=True), (crew[5], 99))
    ranking = got(callers.app.test_client(), f"{callers.board}/guilds/owls")
    rows = [
        (entry["player_id"], entry["rank"], entry["rank_among"], entry["score"])
        for entry in ranking["entries"]
    ]
    assert rows == [(str(crew[1]), 2, 1, 20), (str(crew[0]), 3, 2, 10)]
    assert ranking["unranked"] == [str(crew[2])]
    assert (
        "no guild 'cats'"
        in got(callers.app.test_client(), f"{callers.board}/guilds/cats", 404)["detail"]
    )


def test_a_player_is_in_one_guild_of_a_game(callers: Callers, crew: list[UUID]) -> None:
    put(callers, "owls", crew[:2])
    (refused,) = put(callers, "rats", [crew[3], crew[1]], 409)["errors"]
    assert (refused["field"], refused["code"]) == ("member_ids[1]", "in_another_guild")
    assert "in the guild 'owls'" in refused["detail"]
    assert got(callers.game_server, "/v1/games/dice/guilds/rats", 404)["status"] == 404, (
        "nothing of it is made"
    )
    put(callers, "owls", crew[:1])
    assert put(callers, "rats", [crew[3], crew[1], crew[1]])["member_ids"] == sorted(
        [str(crew[1]), str(crew[3])]
    )
    rows = db.session.scalar(select(func.count()).select_from(GuildMember))
    put(callers, "rats", [crew[1], crew[3]])  # the same again
    assert db.session.scalar(select(func.count()).select_from(GuildMember)) == rows
    listed = got(callers.game_server, "/v1/games/dice/guilds?limit=1&offset=1")["guilds"]
    assert listed == [{"guild": "rats", "name": "Rats", "members": 2}]


def test_what_cannot_be_is_refused(
    callers: Callers, others: Callers, crew: list[UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    (refused,) = put(callers, "owls", [crew[0], others.player_id], 400)["errors"]
    assert (refused["field"], refused["code"]) == ("member_ids[1]", "unknown_player")
    put(callers, "No Slug", [], 400)
    put(callers, "owls", [crew[0]] * 101, 400)
    put(others, "owls", [], 404)
    got(others.game_server, "/v1/games/dice/guilds", 404)
    got(callers.app.test_client(), "/v1/games/dice/guilds", 401)
    monkeypatch.setattr(guilds, "MOST_OF_GAME", 3)
    put(callers, "owls", crew[:2])
    (refused,) = put(callers, "rats", crew[2:4], 403)["errors"]
    assert (refused["field"], refused["code"]) == ("member_ids", "quota")
    monkeypatch.setattr(guilds, "MOST_GUILDS", 1)
    assert put(callers, "rats", [], 403)["errors"][0]["code"] == "quota"
    put(callers, "owls", crew[:3])


def test_a_guild_that_is_removed_is_on_no_board_and_its_players_stay(
    callers: Callers, crew: list[UUID]
) -> None:
    put(callers, "owls", crew[:2])
    score(callers.mode, (crew[0], 10))
    removed = callers.game_server.delete("/v1/games/dice/guilds/owls")
    assert removed.status_code == 204
    assert callers.game_server.delete("/v1/games/dice/guilds/owls").status_code == 404
    assert board(callers) == []
    assert [row["score"] for row in got(callers.app.test_client(), callers.board)["entries"]] == [
        10
    ]


def test_a_private_modes_guilds_are_its_integrators_to_read(
    callers: Callers, crew: list[UUID]
) -> None:
    put(callers, "owls", crew[:2])
    assert callers.game_server.patch(callers.mode_path, json={"private": True}).status_code == 200
    for path in (f"{callers.board}/guilds", f"{callers.board}/guilds/owls"):
        got(callers.app.test_client(), path, 401)
        got(callers.game_server, path)

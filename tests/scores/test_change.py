"""A mode's aggregation or ties are changed.

As previewed, with the reason kept, equal to a fold of the attempts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from uuid import UUID

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import select

from app.boards import services
from app.boards.catalogue import rules as mode_rules
from app.boards.models import BoardRecord, Mode, ModeChange, ScoreGame
from app.boards.rules import Aggregation, Budget, Ties
from app.cli import boards as commands
from app.core.db import db
from app.core.refusals import Refusal
from app.scores.processing import reconcile
from app.scores.review import corrections
from app.scores.standings import mode_change
from app.scores.standings.mode_change import Policy, Preview
from tests.commands import use_here
from tests.worlds.boards import redis_at
from tests.worlds.score_log import NOW, Log, check_boards, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
POLICIES = [Policy(aggregation, ties) for aggregation, ties in product(Aggregation, Ties)]


def play(mode: Mode, everybody: list[UUID]) -> None:
    """Several scores of each, in an order that every aggregation sees differently.

    One is taken back.
    """
    log = Log()
    scores = [(5, 3, 7), (7, 1, 0), (2, 6, 7), (7, 7, -4), (0, 0, 3)]
    sent = [
        score_event(mode, player, score, later(60 * turn + n * 0.4))
        for n, (player, played) in enumerate(zip(everybody, scores, strict=True))
        for turn, score in enumerate(played)
    ]
    log.put(*sent)
    log.consume(polls=(50,))
    taken = corrections.roll_back(sent[0].event_id, by=None, reason="a test", now=NOW)
    assert not isinstance(taken, Refusal)


def ranks(mode: Mode, window_id: str) -> dict[str, int]:
    board = services.read(db.session.get_one(ScoreGame, mode.game_id), mode, window_id).board
    return {row.member: row.rank for row in board.page(0, 100)}


@pytest.mark.parametrize("start", range(0, len(POLICIES), 4))
def test_each_change_ends_as_previewed(make_mode: MakeMode, players: Players, start: int) -> None:
    everybody = players(5)
    for old, new in list(permutations(POLICIES, 2))[start::9]:
        mode = make_mode(aggregation=old.aggregation, ties=old.ties)
        play(mode, everybody)
        windows = ["all-time", "daily:2026-04-05"]
        before = {window: ranks(mode, window) for window in windows}
        previewed = mode_change.preview(mode.id, new)
        assert isinstance(previewed, Preview), previewed
        assert {window: ranks(mode, window) for window in windows} == before, (
            "a preview changes nothing"
        )
        done = mode_change.apply(previewed, reason="the players asked for it", by=None, now=NOW)
        assert isinstance(done, ModeChange), done
        db.session.refresh(mode)
        assert (mode.aggregation, mode.ties) == (new.aggregation, new.ties)
        check_boards(mode)
        moved = 0
        for board in previewed.boards:
            after = ranks(mode, board.window_id)
            previewed_ranks = {
                str(move.player_id): (move.rank_before, move.rank_after) for move in board.moves
            }
            assert previewed_ranks == {
                player: (rank, after[player])
                for player, rank in before[board.window_id].items()
                if rank != after[player]
            }
            assert (board.players, board.moved) == (5, len(previewed_ranks))
            moved += board.moved
        assert (done.moved, done.reason, done.ties_before) == (
            moved,
            "the players asked for it",
            old.ties,
        )


def test_the_longest_moves_come_first_and_no_more_than_asked(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(windows=("all-time",))
    play(mode, players(5))
    previewed = mode_change.preview(mode.id, Policy("latest", "earliest"), limit=2)
    assert isinstance(previewed, Preview)
    (board,) = previewed.boards
    lengths = [
        abs(move.rank_before - move.rank_after)
        for move in board.moves
        if move.rank_before and move.rank_after
    ]
    assert len(lengths) == 2 < board.moved
    assert lengths == sorted(lengths, reverse=True)


def test_scores_that_come_after_the_change_count_by_it(
    make_mode: MakeMode, players: Players
) -> None:
    mode, everybody = make_mode(), players(5)
    play(mode, everybody)
    previewed = mode_change.preview(mode.id, Policy("sum", "earliest"))
    log = Log()
    log.put(score_event(mode, everybody[4], 9, later(500)))
    log.consume()
    assert isinstance(previewed, Preview)
    assert isinstance(mode_change.apply(previewed, reason="sum", by=None, now=NOW), ModeChange)
    log.put(score_event(mode, everybody[4], 2, later(600)))
    log.consume()
    db.session.refresh(mode)
    check_boards(mode)


def test_what_cannot_be_is_refused_with_what_to_change(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(min_score=-(1 << 40), max_score=1 << 40, windows=("all-time",))

    def texts(aggregation: str, ties: str) -> list[str]:
        refusals = mode_change.preview(mode.id, Policy(aggregation, ties))
        assert isinstance(refusals, list)
        return [refusal.text for refusal in refusals]

    assert "9007199254" in texts("sum", "earliest")[0], "the mode's bounds do not fit"
    assert texts("average", "shared") == [
        "aggregation: 'average' is not one of highest, sum, latest."
    ]
    assert "already" in texts("highest", "shared")[0]
    unknown = mode_change.preview(UUID(int=1), Policy("sum", "dense"))
    assert isinstance(unknown, list)
    assert unknown[0].code == "unknown"


def test_totals_out_of_the_exact_range_are_refused_and_change_nothing(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With bounds that fit it would take a million scores."""
    most = Budget().limit
    mode, (player,) = (
        make_mode(min_score=0, max_score=most, ties="earliest", windows=("all-time",)),
        players(1),
    )
    log = Log()
    log.put(*(score_event(mode, player, most - 7, later(n)) for n in range(2)))
    log.consume()
    monkeypatch.setattr(mode_rules, "bound_limit", lambda aggregation: most)
    refused = mode_change.preview(mode.id, Policy("sum", "earliest"))
    assert isinstance(refused, list)
    text = (
        f"all-time would have scores of up to {2 * (most - 7)}, outside the exact range of ±{most}"
    )
    assert refused[0].text.startswith(text)
    check_boards(mode)


def test_a_change_from_an_old_preview_or_without_a_reason_is_refused(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    play(mode, players(5))
    first = mode_change.preview(mode.id, Policy("sum", "shared"))
    second = mode_change.preview(mode.id, Policy("latest", "shared"))
    assert isinstance(first, Preview)
    assert isinstance(second, Preview)
    unexplained = mode_change.apply(first, reason="  ", by=None, now=NOW)
    assert isinstance(unexplained, list)
    assert unexplained[0].field == "reason"
    assert isinstance(mode_change.apply(first, reason="sum", by=None, now=NOW), ModeChange)
    late = mode_change.apply(second, reason="latest", by=None, now=NOW)
    assert isinstance(late, list)
    assert late[0].code == "changed_meanwhile"
    check_boards(db.session.get_one(Mode, mode.id, populate_existing=True))


def test_with_redis_away_the_change_is_made_and_redis_follows(
    app: Flask, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    play(mode, players(5))
    previewed = mode_change.preview(mode.id, Policy("sum", "dense"))
    assert isinstance(previewed, Preview)
    with redis_at(app, "redis://127.0.0.1:1/0"):
        assert isinstance(mode_change.apply(previewed, reason="sum", by=None, now=NOW), ModeChange)
        db.session.refresh(mode)
        ranks_before = ranks(mode, "all-time")
    assert set(db.session.scalars(select(BoardRecord.stale_since))) == {NOW}
    reconcile.reconcile(NOW)
    check_boards(mode)
    assert ranks(mode, "all-time") == ranks_before


def test_the_command_previews_and_with_a_reason_changes(
    app: Flask, make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    mode = make_mode(slug="solo", windows=("all-time",))
    play(mode, players(5))
    run = CliRunner()
    looked = run.invoke(commands.boards, ["change", "nova-run:solo", "--aggregation", "latest"])
    assert looked.exit_code == 0, looked.output
    first, *moves, last = looked.output.splitlines()
    previewed = mode_change.preview(mode.id, Policy("latest", "shared"))
    assert isinstance(previewed, Preview)
    assert first == f"all-time: {previewed.moved} of 5 players change rank"
    assert len(moves) == previewed.moved > 0
    assert last == "Nothing has changed yet. Add --reason to apply it."
    done = run.invoke(
        commands.boards,
        ["change", "nova-run:solo", "--aggregation", "latest", "--reason", "asked for"],
    )
    assert done.output.endswith(
        f"nova-run:solo is now latest, shared; {previewed.moved} ranks changed.\n"
    )
    again = run.invoke(commands.boards, ["change", "nova-run:solo", "--aggregation", "latest"])
    assert (again.exit_code, "already" in again.output) == (1, True)
    assert "There is no mode" in run.invoke(commands.boards, ["change", "nova-run"]).output

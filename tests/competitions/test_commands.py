"""The commands about competitions, and the job by the clock."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from app.cli import competitions as commands
from app.cli import main
from tests.commands import use_here
from tests.worlds.competitions import Arena
from workers.jobs import settle_competitions

REWARDS = [{"to_rank": 1, "grants": [{"reward": "coins", "amount": 5}]}]


def test_a_preview_is_printed(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    use_here(monkeypatch, commands, arena.callers.app)
    (ann,) = arena.players("ann")
    arena.score(ann, 5, arena.at(3))
    arena.draft(rewards=REWARDS)
    monkeypatch.setattr("app.core.clock.now", lambda: arena.settled(3))
    name = f"{arena.callers.game.slug}:{arena.mode.slug}:cup"
    answer = CliRunner().invoke(main, ["competitions", "preview", name, "--windows", "1", "--csv"])
    assert answer.output.splitlines() == [
        "window,tier or band,players,cohorts,up,down,absent,rewards",
        "2026-03-02T14:00:00Z,All,1,1,0,0,0,",
        "2026-03-02T14:00:00Z,rank 1,1,,,,,5 coins",
    ]
    wrong = CliRunner().invoke(main, ["competitions", "preview", "dice:ranked:none"])
    assert wrong.exit_code == 1
    assert "Write it as game:mode:competition" in wrong.output


def test_windows_are_settled_by_command_and_by_the_clock(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, arena.callers.app)
    cup = arena.live(rewards=REWARDS)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    arena.score(ann, 5, arena.at(1))
    done = CliRunner().invoke(main, ["competitions", "settle"])
    assert done.output.splitlines()[-1] == "3 windows settled."
    settle_competitions.run()
    assert arena.ledger(cup) == [(1, 1, "ann", "coins", 5)]

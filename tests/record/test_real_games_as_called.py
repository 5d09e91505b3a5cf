"""Every real game as first called: each row of corrections.csv is published and taken away.

Points as published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import text

from app.core.db import db
from app.fantasy.scoring.rules import PPR, STANDARD, points
from app.record import events as ev
from app.record.rules.stat_lines import game_credits, stat_lines
from app.record.rules.state import game_state
from app.record.script import GameScript
from app.record.services import store_script
from tests.record.deliveries import standing_of, take_in
from tests.worlds.games import messages
from tests.worlds.real_games import FILES, due, each_game, name_of, real_game, table, wrong_points

pytestmark = pytest.mark.realgames
BATCH = 500
FACTS_BESIDE_THE_PLAY = ev.Snap | ev.Penalty | ev.Challenge
THROWS = {
    "complete": "complete",
    "incomplete": "incomplete",
    "spike": "spike",
    "interception": "intercepted",
}
KICKS = {"punt", "kickoff", "field_goal", "extra_point"}


@pytest.fixture(params=each_game())
def file(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def called(script: GameScript) -> list[ev.Body]:
    assert script.as_called is not None
    return [step.body for step in script.as_called]


def test_a_real_game_as_first_called_gives_the_published_points(file: Path) -> None:
    script = real_game(file)
    lines = stat_lines(game_credits(standing_of(called(script))))
    for rules in (STANDARD, PPR):
        expected = {
            player: int(points * 1000)
            for player, points in due()[script.game_id][rules.name].items()
            if points
        }
        computed = {
            player: earned
            for player, line in lines.items()
            if (earned := points(line.stats, rules))
        }
        assert computed == expected


def test_a_real_game_as_first_called_has_the_same_score_and_the_same_plays_in_the_end(
    file: Path,
) -> None:
    script = real_game(file)
    final = standing_of([step.body for step in script.events])
    standing = standing_of(called(script))
    assert script.left_out == ()
    state, other = game_state(final), game_state(standing)
    for name in ("status", "home_score", "away_score", "home_by_period", "away_by_period"):
        assert getattr(state, name) == getattr(other, name), name
    assert [body for *_, body in standing if not isinstance(body, FACTS_BESIDE_THE_PLAY)] == [
        body for *_, body in final if not isinstance(body, FACTS_BESIDE_THE_PLAY)
    ]


# --- every row of the table is in the game


@dataclass
class Play:
    """What was published of a play before any correction, and the removed events."""

    snap: ev.Snap
    published: dict[int, ev.Body]
    nullified: set[int]
    reviews: list[ev.Challenge]
    fouls: Counter[tuple[str, str]]


def plays_of(bodies: list[ev.Body]) -> list[Play]:
    plays: list[Play] = []
    for number, body in enumerate(bodies, 1):
        if isinstance(body, ev.Snap):
            plays.append(Play(body, {}, set(), [], Counter()))
        elif not plays:
            continue
        elif isinstance(body, ev.Nullify):
            plays[-1].nullified |= set(body.events)
        elif isinstance(body, ev.Overturn):
            plays[-1].nullified.add(body.event)
        elif isinstance(body, ev.Challenge):
            plays[-1].reviews.append(body)
        elif isinstance(body, ev.Penalty):
            plays[-1].fouls[body.team, body.status] += 1
        elif not plays[-1].nullified and not isinstance(
            body, ev.Timeout | ev.Period | ev.GameEnded | ev.Final
        ):
            plays[-1].published[number] = body
    return plays


def says(row: dict[str, str], play: Play) -> bool:
    """Whether the play was published as the row has it.

    What was done, by whom, how far, and how it ended.
    """
    published = list(play.published.values())
    scored = any(getattr(body, "is_touchdown", False) for body in published)
    tackles = [body.tackler for body in published if isinstance(body, ev.Tackle)]
    yards = int(row["yards"] or 0)
    return (
        _says(row["action"], row, published, yards)
        and scored == (row["touchdown"] == "1")
        and any(isinstance(body, ev.Fumble) for body in published) == (row["fumble"] == "1")
        and {body.team for body in published if isinstance(body, ev.Recovery)}
        == set(filter(None, [row["recovered_team"]]))
        and tackles == row["tackler_ids"].split(";") * bool(row["tackler_ids"])
        and any(isinstance(body, ev.Safety) for body in published) == (row["safety"] == "1")
    )


def _says(action: str, row: dict[str, str], published: list[ev.Body], yards: int) -> bool:
    def who(role: str) -> str | None:
        return row[f"{role}_player_id"] or None

    gained = sum(body.end_yard - body.start_yard for body in published if isinstance(body, ev.Run))
    match published[0]:
        case ev.Pass() as thrown if action in THROWS:
            caught = (
                thrown.reception_yard is not None
                and thrown.reception_yard - thrown.throw_yard + gained == yards
            )
            taken = [body.player for body in published if isinstance(body, ev.Interception)]
            return (
                (thrown.result, thrown.passer, thrown.receiver)
                == (THROWS[action], who("passer"), who("receiver"))
                and (action != "complete" or caught)
                and taken == [who("interceptor")] * (action == "interception")
            )
        case ev.Run() as run if action == "run":
            return (run.is_rush, run.player, gained) == (True, who("rusher"), yards)
        case ev.Sack() as sack if action == "sack":
            by = tuple(filter(None, row["tackler_ids"].split(";")))
            return (sack.player, sack.end_yard - sack.start_yard, sack.by) == (
                who("passer"),
                yards,
                by,
            )
        case ev.Kick() as kick if action in KICKS:
            kicker = who("punter") if action == "punt" else who("kicker")
            good = {"1": "good", "0": "missed"}.get(row["good"], kick.result)
            kind = "kickoff" if kick.kind == "onside" else kick.kind
            length = yards if row["yards"] else kick.distance
            return (kind, kick.kicker, kick.result, kick.distance) == (action, kicker, good, length)
        case ev.Conversion() as conversion if action == "two_point":
            player = who("receiver") if who("passer") else who("rusher")
            return (conversion.good, conversion.passer, conversion.player) == (
                row["good"] == "1",
                who("passer"),
                player,
            )
    return False


def fouls_of(row: dict[str, str]) -> Counter[tuple[str, str]]:
    ends = (
        (foul.split(":")[0], foul.rsplit(":", 1)[1]) for foul in row["fouls"].split("|") if foul
    )
    return Counter((team, "accepted" if end.endswith("yd") else end) for team, end in ends)


def was_called(row: dict[str, str], play: Play) -> bool:
    """Whether the row's call is this play: published, and taken away for the row's reason.

    Where the whistle came before the snap there is only the foul, and nothing to take away.
    """
    if not fouls_of(row) <= play.fouls:
        return False
    if row["action"] in ("", "other"):
        return not play.published
    if row["kind"] == "nullified":
        return bool(play.published) and play.nullified >= play.published.keys() and says(row, play)
    return (
        bool(play.nullified)
        and [r.ruling for r in play.reviews] == ["pending", "overturned"]
        and says(row, play)
    )


def test_every_row_is_published_as_first_ruled_and_then_taken_away(file: Path) -> None:
    script = real_game(file)
    rows = [
        row
        for row in table(file.parent.parent / "corrections.csv")
        if row["game_id"] == script.game_id
    ]
    for kind in ("nullified", "reversed"):
        left = plays_of(called(script))
        for row in (row for row in rows if row["kind"] == kind):
            play = next((play for play in left if was_called(row, play)), None)
            assert play is not None, f"nowhere in the game: {row}"
            left.remove(play)


def test_no_row_belongs_to_a_game_that_was_not_looked_at() -> None:
    rows = [
        row
        for folder in {file.parent.parent for file in FILES}
        for row in table(folder / "corrections.csv")
    ]
    counts = Counter(f"{row['kind']}, live {row['live_action']}" for row in rows)
    print(f"\n{len(rows)} rows of corrections.csv: {dict(counts)}")
    assert {row["game_id"] for row in rows} <= {name_of(file) for file in FILES}


# --- in the database


@pytest.mark.timeout(600)
@pytest.mark.full
def test_every_real_game_as_first_called_gives_the_published_points_in_the_record(
    app: Flask, measured: Callable[[str], None]
) -> None:
    for file in FILES:
        script = real_game(file)
        store_script(replace(script, events=(), as_called=None))
        game = messages(called(script), script.game_id)
        for first in range(0, len(game), BATCH):
            assert take_in(game[first : first + BATCH]) == []
    assert wrong_points([name_of(file) for file in FILES]) == []
    (taken_away,) = db.session.execute(text("SELECT count(*) FROM events WHERE NOT valid")).one()
    measured(f"{len(FILES)} games as first called, {taken_away} events taken away")
    assert taken_away > len(FILES)

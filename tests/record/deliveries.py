"""What the road may do to messages, and what the record holds afterwards.

Shared by the tests of ingestion.

Delivering in batches, cutting, doubling and mixing; wrong entries; all derived rows without when
and where they came.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
from sqlalchemy import text

from app.core.db import db
from app.fantasy.scoring.rules import PRESETS, points
from app.record import events as ev
from app.record.play_tables import PLAY_TABLES
from app.record.rules.state import game_state
from app.record.rules.team_defence import all_credits, all_lines, has_begun
from app.stream.messages import Message
from scorer_console.record.effective_events import effective_events
from tests.worlds.games import game_events, ingest

ROWS = [
    "events",
    "corrections",
    "stat_lines",
    "player_points",
    *(t.__tablename__ for t in PLAY_TABLES),
]
WITHOUT_PLACE = "to_jsonb(t) - 'ingested_at' - 'partition' - 'offset'"


def forget() -> None:
    db.session.execute(text(f"TRUNCATE {', '.join(ROWS)}, game_states, ledger, dead_letters"))
    db.session.commit()


def derived_rows() -> dict[str, list[Any]]:
    """All derived rows, without when and by which message they came."""
    rows: dict[str, list[Any]] = {}
    for table in ROWS:
        rows[table] = list(
            db.session.scalars(text(f"SELECT ({WITHOUT_PLACE})::text FROM {table} t ORDER BY 1"))
        )
    rows["state"] = list(
        db.session.execute(
            text("SELECT game_id, status, home_score, away_score, state FROM game_states")
        )
    )
    rows["ledger"] = list(
        db.session.execute(
            text(
                "SELECT game_id, player_id, event_number, revision, stat, amount FROM ledger"
                " WHERE closed_at IS NULL ORDER BY 1, 2, 3, 4, 5"
            )
        )
    )
    rows["dead_letters"] = list(
        db.session.scalars(text("SELECT reason FROM dead_letters ORDER BY 1"))
    )
    return rows


def assert_it_stands(game_id: str, bodies: Sequence[ev.Body], home: str, away: str) -> None:
    """The game's record holds exactly what stands of these bodies, in order, with its points.

    Numbers and revisions may differ: the record may have taken in mistakes that were set right.
    """
    standing = standing_of(bodies)
    valid = text(
        "SELECT body FROM events WHERE game_id = :game AND valid AND type NOT IN"
        " ('nullify', 'overturn', 'stat_correction') ORDER BY event_number"
    )
    recorded = [ev.body_from(body) for body in db.session.scalars(valid, {"game": game_id})]
    assert recorded == [body for *_, body in standing]
    lines = db.session.execute(
        text("SELECT player_id, stats FROM stat_lines WHERE game_id = :game"), {"game": game_id}
    )
    expected_lines = all_lines(
        all_credits(standing, (home, away)), (home, away), has_begun=has_begun(standing)
    )
    expected = {player: line.stats for player, line in expected_lines.items() if line.stats}
    assert {player: stats for player, stats in lines if stats} == expected
    stored_points = db.session.execute(
        text(
            "SELECT player_id, rules, points FROM player_points WHERE game_id = :game AND points "
            "<> 0"
        ),
        {"game": game_id},
    )
    expected_points = {
        (player, rules.name, earned)
        for player, stats in expected.items()
        for rules in PRESETS.values()
        if (earned := points(stats, rules))
    }
    assert set(map(tuple, stored_points)) == expected_points
    state = game_state(standing, home, away)
    stored = db.session.scalar(
        text("SELECT state FROM game_states WHERE game_id = :game"), {"game": game_id}
    )
    for name in ("home_score", "away_score", "home_by_period", "away_by_period"):
        assert stored[name] == msgspec.json.decode(msgspec.json.encode(getattr(state, name))), name


def standing_of(bodies: Sequence[ev.Body]) -> list[tuple[int, int, ev.Body]]:
    """Event number, play number and last ruling of what counts, after the game's corrections."""
    return [
        (event.event_number, event.play_number, event.body)
        for event in effective_events(game_events(list(bodies)))
    ]


def assert_lines_follow_the_rows(game_id: str) -> None:
    """Stat lines are those of the valid rows, whatever is still to come."""
    valid = text(
        "SELECT event_number, play_number, body FROM events WHERE game_id = :game AND valid"
    )
    events = [
        (number, play, ev.body_from(body))
        for number, play, body in db.session.execute(valid, {"game": game_id})
    ]
    lines = db.session.execute(
        text("SELECT player_id, stats FROM stat_lines WHERE game_id = :game"), {"game": game_id}
    )
    clubs = db.session.execute(
        text("SELECT home_id, away_id FROM games WHERE id = :game"), {"game": game_id}
    ).one()
    expected = all_lines(
        all_credits(events, tuple(clubs)), tuple(clubs), has_begun=has_begun(events)
    )
    assert dict(map(tuple, lines)) == {player: line.stats for player, line in expected.items()}


def take_in(batch: list[Message]) -> list[Message]:
    """Takes the batch in; returns the corrections that found no original."""
    return ingest(batch).deferred


def deliver(
    batches: list[list[Message]], take_in: Callable[[list[Message]], list[Message]] = take_in
) -> None:
    """Takes the batches in.

    Corrections that find no original come again at the end, as their job would.
    """
    late: list[Message] = []
    for batch in batches:
        late += take_in(batch)
    while late:
        left = take_in(late)
        assert len(left) < len(late), "corrections that never find their original"
        late = left


def cut(batch: list[Message], random: Random, most: int = 8) -> list[list[Message]]:
    """The messages in order, in up to so many batches."""
    cuts = sorted(
        {0, len(batch), *(random.randrange(len(batch)) for _ in range(random.randrange(most)))}
    )
    return [batch[a:b] for a, b in pairwise(cuts)]


def mixed(clean: list[Message], random: Random, doubles: int = 40) -> list[Message]:
    """The messages, each delayed by up to a window, some delivered twice.

    A few, a quarter of them, or all are delayed.
    """
    window = random.choice([10, len(clean) / 4, len(clean)])
    placed = [(place + random.random() * window, message) for place, message in enumerate(clean)]
    placed += [
        (random.random() * len(clean), random.choice(clean))
        for _ in range(random.randrange(doubles))
    ]
    return [message for _, message in sorted(placed, key=lambda pair: pair[0])]


def wrong(body: ev.Body, random: Random) -> ev.Body | None:
    """Another version of a movement, as a scorer might enter it first; None where there is none."""
    match body:
        case ev.Run():
            return msgspec.structs.replace(
                body, end_yard=random.randrange(101), is_touchdown=random.random() < 0.2
            )
        case ev.Pass(result="complete"):
            return msgspec.structs.replace(body, result="incomplete", is_touchdown=False)
        case ev.Pass(result="incomplete"):
            return msgspec.structs.replace(
                body, result="complete", reception_yard=random.randrange(101)
            )
        case ev.Sack() | ev.Tackle():
            return ev.Fumble(team=body.team, player=None)
        case _:
            return None


def injected(bodies: Sequence[ev.Body], mistakes: int, random: Random) -> list[ev.Body]:
    """The same game with so many mistaken entries, each set right later.

    A mistake is a movement entered wrong, overturned once or more until it is as it was, or up to
    three entries that did not happen, nullified later at once. What the game's own corrections name
    is renumbered, and has the last word.
    """
    entries = [_Entry(body) for body in bodies]
    corrections = [entry for entry in entries if isinstance(entry.body, ev.Correction)]
    for entry in corrections:
        entry.names = [entries[number - 1] for number in _named(entry.body)]
    corrected = {id(named) for entry in corrections for named in entry.names}
    # After the final score no such entry would be taken, so none is put behind it.
    facts = [
        entry
        for entry in entries
        if isinstance(entry.body, ev.Fact)
        and not isinstance(entry.body, ev.Final)
        and id(entry) not in corrected
    ]
    for _ in range(mistakes):
        chosen = random.choice(facts)
        right, mistaken = chosen.body, wrong(chosen.body, random)
        if mistaken is None or chosen.is_touched:
            extra = [_Entry(_phantom(right, random)) for _ in range(random.randrange(1, 4))]
            place = entries.index(chosen) + 1
            entries[place:place] = extra
            _later(entries, extra, ev.Nullify(events=(1,), reason="did not happen"), random)
            continue
        chosen.body, chosen.is_touched = mistaken, True
        last = chosen
        for ruling in [wrong(right, random) for _ in range(random.randrange(3))] + [right]:
            assert ruling is not None
            last = _later(
                entries, [chosen], ev.Overturn(event=1, ruling=ruling), random, after=last
            )
    numbers = {id(entry): number for number, entry in enumerate(entries, 1)}
    return [_renumbered(entry, numbers) for entry in entries]


class _Entry:
    def __init__(self, body: ev.Body, names: list[_Entry] | None = None) -> None:
        self.body = body
        self.names = names or []
        self.is_touched = False


def _named(body: ev.Body) -> tuple[int, ...]:
    return body.events if isinstance(body, ev.Nullify) else (body.event,)


def _phantom(near: ev.Body, random: Random) -> ev.Body:
    """An entry out of nowhere that would earn somebody something, even points on the board."""
    team = getattr(near, "team", None) or getattr(near, "possession", None) or "NOBODY"
    player = getattr(near, "player", None) or getattr(near, "passer", None)
    run = ev.Run(
        team=team, player=player, kind="rush", start_yard=10, end_yard=100, is_touchdown=True
    )
    fumble, recovery = ev.Fumble(team=team, player=player), ev.Recovery(team=team, player=player)
    return random.choice(
        [
            run,
            fumble,
            recovery,
            ev.Safety(team=team),
            ev.Tackle(team=team, tackler=player, kind="solo"),
        ]
    )


def _later(
    entries: list[_Entry],
    targets: list[_Entry],
    body: ev.Body,
    random: Random,
    after: _Entry | None = None,
) -> _Entry:
    """Puts a correction of `targets` anywhere after the last of them (and after `after`)."""
    entry = _Entry(body, targets)
    entries.insert(
        random.randrange(entries.index(after or targets[-1]) + 1, len(entries) + 1), entry
    )
    return entry


def _renumbered(entry: _Entry, numbers: dict[int, int]) -> ev.Body:
    targets = tuple(numbers[id(named)] for named in entry.names)
    if isinstance(entry.body, ev.Nullify):
        return msgspec.structs.replace(entry.body, events=targets)
    if isinstance(entry.body, ev.Overturn | ev.StatCorrection):
        return msgspec.structs.replace(entry.body, event=targets[0])
    return entry.body

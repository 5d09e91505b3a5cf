"""While a call is under review both tables are exact.

Each is the one that the ruling then makes.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from flask import Flask
from msgspec.structs import asdict
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.market.formats import FORMATS
from app.fantasy.scoring.swings.balance import ROWS, Balance, balance_of_all
from app.fantasy.standings.models import League
from app.record import events as ev
from app.record.models import Footballer
from app.record.services import store_script
from tests.fantasy.test_swings import FORMAT, gameweek_for, sheet_of, table
from tests.sizes import size
from tests.worlds.games import (
    game_events,
    ingest,
    ingest_and_refresh,
    make_game,
    messages,
    touchdown_drive,
)
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.simulated_games import play

PENDING = ev.Challenge(by="SUM", ruling="pending", reason="complete?")
UPHELD = ev.Challenge(by="SUM", ruling="upheld", reason="complete?")
OVERTURNED = ev.Challenge(by="SUM", ruling="overturned", reason="complete?")
DRIVE = touchdown_drive()[:9]  # up to the touchdown, which is the third play
SEEDS = range(11, 11 + size("REVIEW_GAMES", 1, 10))


def both(both_tables: Balance) -> tuple[dict[int, tuple[int, int]], dict[int, tuple[int, int]]]:
    return (
        {row.member_id: (row.stands, row.stands_rank) for row in both_tables.rows},
        {row.member_id: (row.overturned, row.overturned_rank) for row in both_tables.rows},
    )


def some_of(
    whole: dict[int, tuple[int, int]], rows: dict[int, tuple[int, int]]
) -> dict[int, tuple[int, int]]:
    return {member: whole[member] for member in rows}


@pytest.fixture
def reviewed(league: League) -> League:
    """Ann leads by the touchdown that is under review; without it she does by her runner."""
    ingest(messages(DRIVE))
    ingest_and_refresh(messages([PENDING], first=10, play=3))
    return league


def seen(league: League, me: int = 2) -> Balance | None:
    """Both tables as the viewer `me` sees them, without a cache."""
    of_all, row_of = balance_of_all(gameweek_for(league, me))
    return None if of_all is None else of_all.seen_by(row_of.get(me))


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
def test_an_upheld_call_makes_the_one_table_and_ends_the_review(reviewed: League) -> None:
    both_tables = seen(reviewed)
    assert both_tables is not None
    assert [(play.play_number, play.review) for play in both_tables.plays] == [
        (3, "Challenge by SUM: under review (complete?).")
    ]
    assert both_tables.plays[0].words[0] == "Player1 to Player2 for 65 yards. Touchdown!"
    stands, _ = both(both_tables)
    assert stands == {2: (12_500, 2), 1: (14_200, 1), 3: (0, 3)}
    ingest_and_refresh(messages([UPHELD], first=11, play=3))
    assert some_of(table(reviewed), stands) == stands
    assert seen(reviewed) is None


def test_an_overturned_call_makes_the_other_table_once_its_corrections_are_in(
    reviewed: League,
) -> None:
    both_tables = seen(reviewed)
    assert both_tables is not None
    _, overturned = both(both_tables)
    ingest_and_refresh(messages([OVERTURNED], first=11, play=3))
    assert seen(reviewed) == found_with(
        both_tables, "Challenge by SUM: the call is overturned (complete?)."
    )
    incomplete = ev.Pass(team="HRB", passer="H1", receiver="H2", result="incomplete", throw_yard=35)
    ingest_and_refresh(
        messages(
            [ev.Overturn(event=8, ruling=incomplete), ev.Nullify(events=(9,))], first=12, play=3
        )
    )
    assert some_of(table(reviewed), overturned) == overturned
    assert seen(reviewed) is None


def found_with(both_tables: Balance, review: str) -> Balance:
    (play,) = both_tables.plays
    return Balance(
        (type(play)(play.game_id, play.play_number, play.words, review),),
        both_tables.rows,
        both_tables.differ,
    )


def test_who_looks_on_stands_first_and_each_table_has_its_own_order(reviewed: League) -> None:
    both_tables = seen(reviewed, 2)
    assert both_tables is not None
    assert [row.member_id for row in both_tables.rows] == [2, 1, 3]
    assert [row.member_id for row in both_tables.if_it_stands] == [1, 2, 3]
    assert [(row.member_id, row.overturned_rank) for row in both_tables.if_overturned] == [
        (1, 1),
        (2, 2),
        (3, 2),
    ]
    assert (both_tables.differ, both_tables.rest) == (3, 0)


def test_a_review_of_a_play_that_nobody_has_points_of_says_so(league: League) -> None:
    ingest(messages(DRIVE[:4]))
    ingest_and_refresh(messages([PENDING], first=5, play=1))
    both_tables = seen(league)
    assert both_tables is not None
    assert (both_tables.rows, both_tables.differ) == ((), 0)


def test_only_so_many_teams_are_listed(member: Callable[..., Member]) -> None:
    make_game()
    ids = [member(f"gamer{number:02}").id for number in range(ROWS + 3)]
    league = make_league(ids[0], {member_id: f"Team {member_id:02}" for member_id in ids})
    for member_id in ids:
        make_sheet(member_id, league, ["H2"])
    db.session.commit()
    ingest(messages(DRIVE))
    ingest_and_refresh(messages([PENDING], first=10, play=3))
    both_tables = seen(league, ids[-1])
    assert both_tables is not None
    assert [row.member_id for row in both_tables.rows] == [ids[-1], *ids[: ROWS - 1]]
    assert (both_tables.differ, both_tables.rest) == (ROWS + 3, 3)


@pytest.mark.sized
@pytest.mark.parametrize("ruling", ["upheld", "overturned"])
@pytest.mark.parametrize("seed", SEEDS)
def test_in_a_whole_game_each_table_is_the_one_that_the_ruling_makes(
    seed: int, ruling: str, app: Flask, member: Callable[..., Member]
) -> None:
    """A play somewhere in the game; overturned, everything in it is taken back."""
    game, random = play(seed), Random(seed)  # noqa: S311
    store_script(game)
    ids = [member(f"gamer{number}").id for number in range(6)]
    league = make_league(
        ids[0],
        {member_id: f"Team {member_id}" for member_id in ids},
        rules="ppr_idp",
        team_format=FORMAT,
    )
    everybody = db.session.execute(
        select(Footballer.id, Footballer.position)
        .where(Footballer.club_id.in_((game.home.id, game.away.id)))
        .order_by(Footballer.id)
    ).all()
    starting: set[str] = set()
    for member_id in ids:
        picks = sheet_of([(row[0], row[1]) for row in everybody], random)
        captain, vice = [pick for pick in picks if pick][:2]
        starting.update(filter(None, picks[: len(FORMATS[FORMAT].starters)]))
        make_sheet(member_id, league, picks, captain=captain, vice=vice)
    db.session.execute(
        text("UPDATE team_sheets SET transfer_cost = 4000 WHERE member_id = :one"), {"one": ids[1]}
    )
    db.session.commit()
    bodies = [step.body for step in game.events]
    events = game_events(bodies, game.game_id)
    void = {
        number
        for event in events
        if isinstance(event.body, ev.Nullify)
        for number in event.body.events
    }
    scored = [
        event
        for event in events
        if getattr(event.body, "is_touchdown", False) and event.event_number not in void
    ]
    # By a footballer who starts somewhere, so that the ruling moves a table.
    touchdown = random.choice(
        [event for event in scored if starting & set(asdict(event.body).values())]
    )
    entered = max(
        event.event_number for event in events if event.play_number == touchdown.play_number
    )
    ingest(messages(bodies, game.game_id)[:entered])
    ingest_and_refresh(
        messages([PENDING], game.game_id, first=entered + 1, play=touchdown.play_number)
    )
    both_tables = seen(league, ids[0])
    assert both_tables is not None
    stands, overturned = both(both_tables)
    assert stands
    if ruling == "upheld":
        ingest_and_refresh(
            messages([UPHELD], game.game_id, first=entered + 2, play=touchdown.play_number)
        )
    else:
        mine = [event for event in events[:entered] if event.play_number == touchdown.play_number]
        taken = tuple(
            event.event_number for event in mine if event.body.part in ("action", "credit")
        )
        rulings: list[ev.Body] = [OVERTURNED, ev.Nullify(events=taken)]
        ingest_and_refresh(
            messages(rulings, game.game_id, first=entered + 2, play=touchdown.play_number)
        )
    expected = stands if ruling == "upheld" else overturned
    assert some_of(table(league), expected) == expected
    assert seen(league, ids[0]) is None

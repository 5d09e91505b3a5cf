"""The table of the season while a gameweek is under way: as its settlement will store it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select, text

from app.core.db import db
from app.fantasy.engine import sheet_points
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import league_scores, places
from app.fantasy.standings.models import League, LeagueMember, LeagueScore
from app.fantasy.standings.ranking import HEAD_TO_HEAD, MODES, TIE_RULES
from app.fantasy.standings.season_places import in_order, own_places, season_places
from tests.worlds.games import DRIVE, KICKOFF, ingest_and_refresh, messages

MODES_AND_TIES = [
    (mode, ties)
    for mode in MODES
    for ties, rule in TIE_RULES.items()
    if mode == HEAD_TO_HEAD or not rule.is_between
]


@pytest.fixture
def settled_week(league: League) -> Gameweek:
    """A week that is over, in which bob was best; another one is to come."""
    first = db.session.get_one(Gameweek, 1)
    weeks = [
        Gameweek(
            season_id=first.season_id,
            competition=first.competition,
            season=first.season,
            season_type=first.season_type,
            week=week,
            name=f"Week {week}",
            deadline=KICKOFF + timedelta(days=7 * week),
            settled_at=KICKOFF if week == 2 else None,
        )
        for week in (2, 3)
    ]
    db.session.add_all(weeks)
    db.session.flush()
    for member, points, transfers in ((1, 4_000, 2), (2, 5_000, 0), (3, 4_000, 1)):
        db.session.add(
            LeagueScore(
                league_id=league.id,
                member_id=member,
                gameweek_id=weeks[0].id,
                team_name=f"Team {member}",
                points=points,
                transfers=transfers,
                match_points=member % 2,
            )
        )
    return weeks[0]


def stored(league_id: int) -> dict[int, tuple[int, list[int]]]:
    rows = db.session.execute(
        select(LeagueMember.member_id, LeagueMember.total_points, LeagueMember.standing).where(
            LeagueMember.league_id == league_id
        )
    )
    return {member: (total, list(standing)) for member, total, standing in rows}


@pytest.mark.usefixtures("settled_week")
@pytest.mark.parametrize(("mode", "ties"), MODES_AND_TIES)
def test_a_standing_is_what_will_be_stored(league: League, mode: str, ties: str) -> None:
    league.mode, league.ties = mode, ties
    db.session.execute(text("UPDATE team_sheets SET transfers = member_id"))
    places.stand_all([league.id])
    db.session.commit()
    ingest_and_refresh(messages(DRIVE))
    places_shown = season_places(league.id)
    assert places_shown is not None
    sheet_points.rescore(1)
    league_scores.write_scores(1, leagues=[league.id])
    db.session.get_one(Gameweek, 1).settled_at = KICKOFF
    db.session.flush()
    places.stand_all([league.id])
    expected = stored(league.id)
    db.session.rollback()
    assert {
        who: (place.total, list(place.standing)) for who, place in places_shown.items()
    } == expected
    assert in_order(places_shown) == sorted(
        expected, key=lambda who: ([-x for x in expected[who][1]], who)
    )
    assert places_shown[1].total == 4_000 + 14_200


def test_members_who_never_stood_are_level(league: League) -> None:
    league.mode, league.ties = HEAD_TO_HEAD, "fewest_transfers"
    db.session.commit()
    places_shown = season_places(league.id) or {}
    assert {
        who: (place.total, place.rank, place.shared) for who, place in places_shown.items()
    } == dict.fromkeys((1, 2, 3), (0, 1, True))


def test_a_member_has_the_place_of_the_table(league: League) -> None:
    ingest_and_refresh(messages(DRIVE))
    places_shown = season_places(league.id) or {}
    for who, place in places_shown.items():
        own_place = own_places([league.id], who)[league.id]
        assert (own_place.total, own_place.rank) == (place.total, place.rank)
    assert [places_shown[who].rank for who in (1, 2, 3)] == [1, 2, 3]


def test_a_week_that_is_settled_before_an_earlier_one_counts_that_too(
    league: League, settled_week: Gameweek
) -> None:
    """A suspended game may keep the earlier one open."""
    ingest_and_refresh(messages(DRIVE))
    places.write_ranks([league.id], settled_week.week)
    after = select(LeagueScore.member_id, LeagueScore.total, LeagueScore.rank).where(
        LeagueScore.gameweek_id == settled_week.id
    )
    rows = sorted(tuple(row) for row in db.session.execute(after))
    assert rows == [(1, 18_200, 1), (2, 17_500, 2), (3, 4_000, 3)]

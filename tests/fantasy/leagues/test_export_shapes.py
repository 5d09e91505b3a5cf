"""Leagues of every shape are exported, taken in and exported again.

The documents are equal (PRODUCT G5).

G5: no league is lost, its full history can be exported. An export is closed under its references:
whatever a row rests on is in the document too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import insert, update

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks import after_deadline
from app.fantasy.leagues import export as league_export
from app.fantasy.leagues import importing as league_import
from app.fantasy.leagues.models import LeagueBan, RuleChange, ScoreAdjustment
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import Gameweek, SheetDeadline
from app.fantasy.market.seasons import ensure_team_rules, set_deadlines
from app.fantasy.scoring.models import SheetPoints
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, LeagueMember, LeagueScore, Matchup
from app.fantasy.standings.ranking import BETWEEN, TIES
from tests.fantasy.leagues.test_first_week import found as found_late
from tests.sizes import size
from tests.worlds.games import make_game
from tests.worlds.played_league import Played, played_league
from tests.worlds.seasons import make_weekly_season

LONG_AFTER = datetime(2098, 1, 1, tzinfo=UTC)
PICKS = ("H1", "H2", "H3", "H9", "S1", "S2", "S3", "S9", "", "")
PLACES = len(FORMATS["nfl-classic"].places)
WEEKS = 4


def exported(league: League) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        league_export.as_json(league_export.document(league, LONG_AFTER, usernames=True))
    )
    return document


def taken_in(document: dict[str, Any]) -> dict[str, Any]:
    """What the copy of this league exports, under the address of the first one."""
    copy = league_import.take_in(league_import.read(json.dumps(document).encode()), by=None)
    again = exported(copy)
    again["league"]["slug"] = document["league"]["slug"]
    return again


def assert_closed(document: dict[str, Any]) -> None:
    """Every sheet that was carried over follows one that was saved."""
    for sheet in document["sheets"]:
        earlier = [
            other
            for other in document["sheets"]
            if other["member"] == sheet["member"] and other["week"] < sheet["week"]
        ]
        assert not sheet["is_carried"] or any(not other["is_carried"] for other in earlier), sheet
    assert all(
        sheet["points"] is None
        for sheet in document["sheets"]
        if sheet["week"] < document["league"]["first_week"]
    )


def drawn_league(rng: Random, number: int, people: Sequence[int]) -> League:
    """A league of 0 to 3 members over four gameweeks.

    Sheets saved, carried over or missing, deadlines that moved.
    """
    season, gameweeks = make_weekly_season(WEEKS, year=2030 + number, is_simulated=True)
    lock = rng.choice(["gameweek", "game"])
    rules = ensure_team_rules(season.id, TeamRulesChoice.of("nfl-classic", "UTC", lock=lock))
    set_deadlines(season.id)
    mode = rng.choice(["total", "head_to_head"])
    league = League(
        season_id=season.id,
        team_rules_id=rules.id,
        slug=f"shape-{number}",
        name=f"Shape {number}",
        invite_code=f"SHAPE{number}",
        is_public=rng.random() < 0.5,
        rules="standard_idp",
        mode=mode,
        ties=rng.choice(
            [rule for rule in sorted(TIES) if mode == "head_to_head" or rule not in BETWEEN]
        ),
        first_week=rng.randint(1, WEEKS),
        commissioner_id=rng.choice(people),
    )
    db.session.add(league)
    db.session.flush()
    for member in rng.sample(people, rng.randint(0, len(people))):
        if rng.random() < 0.8:  # the others left
            db.session.add(
                LeagueMember(league_id=league.id, member_id=member, team_name=f"Team {member}")
            )
            league.commissioner_id = member
        _draw_sheets(rng, league, member, gameweeks)
        _draw_history(rng, league, member, gameweeks, people)
    db.session.flush()
    # moved to before the sheets were saved
    for gameweek in rng.sample(gameweeks, rng.randint(0, 2)):
        db.session.execute(
            update(SheetDeadline)
            .where(
                SheetDeadline.team_rules_id == rules.id, SheetDeadline.gameweek_id == gameweek.id
            )
            .values(locks_at=gameweek.deadline - timedelta(days=2))
        )
    db.session.commit()
    return league


def _draw_sheets(rng: Random, league: League, member: int, gameweeks: Sequence[Gameweek]) -> None:
    sheets: list[TeamSheet] = []
    for gameweek in gameweeks:
        what = rng.choice(["saved", "carried", "none"])
        if what == "none" or (what == "carried" and not sheets):
            continue
        picks = (
            [*rng.sample(PICKS[:8], 8), *[""] * (PLACES - 8)]
            if what == "saved"
            else list(sheets[-1].picks)
        )
        sheet = TeamSheet(
            member_id=member,
            team_rules_id=league.team_rules_id,
            gameweek_id=gameweek.id,
            picks=picks,
            captain=1,
            vice_captain=2,
            purchase_prices=[50] * PLACES,
            bank=0,
            free_transfers=None,
            is_carried=what == "carried",
            saved_at=gameweek.deadline - timedelta(hours=1),
        )
        db.session.add(sheet)
        db.session.flush()
        sheets.append(sheet)
        if rng.random() < 0.7:
            points = SheetPoints(
                team_sheet_id=sheet.id,
                rules=league.rules,
                points=rng.randint(-5_000, 90_000),
                multipliers=[1] * PLACES,
            )
            db.session.add(points)
    for sheet in sheets:
        # as a late game allows, after it was carried over
        if not sheet.is_carried and rng.random() < 0.3:
            sheet.picks = sheet.picks[::-1]


def _draw_history(
    rng: Random, league: League, member: int, gameweeks: Sequence[Gameweek], people: Sequence[int]
) -> None:
    for gameweek in gameweeks[league.first_week - 1 :]:
        row = {"league_id": league.id, "gameweek_id": gameweek.id}
        if rng.random() < 0.7:
            points = rng.randint(-5_000, 90_000)
            db.session.execute(
                insert(LeagueScore).values(
                    **row, member_id=member, team_name="As then", points=points
                )
            )
        if league.mode == "head_to_head" and rng.random() < 0.5:
            away = rng.choice([None, *(other for other in people if other != member)])
            db.session.execute(insert(Matchup).values(**row, home_id=member, away_id=away))
        if rng.random() < 0.2:
            adjusted = {
                "member_id": member,
                "points": 1_500,
                "reason": "Late",
                "by_id": rng.choice(people),
            }
            db.session.execute(insert(ScoreAdjustment).values(**row, **adjusted))
    if rng.random() < 0.2:
        db.session.execute(insert(LeagueBan).values(league_id=league.id, member_id=member))
    if rng.random() < 0.2:
        rules = {
            "old_rules": "standard",
            "new_rules": "standard_idp",
            "reason": "Tackles",
            "by_id": rng.choice(people),
        }
        db.session.execute(insert(RuleChange).values(league_id=league.id, **rules))


@pytest.mark.sized
def test_a_league_of_any_shape_comes_back_as_it_was(
    app: Flask, member: Callable[..., Member]
) -> None:
    make_game()
    people = [member(name).id for name in ("ann", "bob", "cat")]
    for number in range(size("PRESSBOX_LEAGUE_SHAPES", 24, 400)):
        document = exported(drawn_league(Random(number), number, people))  # noqa: S311
        assert_closed(document)
        assert taken_in(document) == document, f"shape {number}"


def test_a_league_that_began_in_mid_season_has_the_sheet_that_a_carried_one_repeats(
    app: Flask, member: Callable[..., Member]
) -> None:
    """Ann saved a sheet in gameweek 1 and none after; her second league counts from gameweek 2."""
    played = played_league(
        {name: member(name).id for name in ("ann", "bob")}, ({"ann": 50, "bob": 40},)
    )
    db.session.commit()
    late = _late(played)
    document = exported(late)
    ann = [
        (sheet["week"], sheet["is_carried"])
        for sheet in document["sheets"]
        if sheet["member"] == "ann"
    ]
    assert ann == [(1, False), (2, True)]
    assert document["scores"] == [] or {score["week"] for score in document["scores"]} == {2}
    assert taken_in(document) == document


def _late(played: Played) -> League:
    league = found_late(played, 2)
    after_deadline.lock_gameweek(played.gameweeks[1].id, played.gameweeks[1].deadline)
    return league


def test_a_document_without_the_sheet_that_a_carried_one_repeats_can_be_taken_in(
    app: Flask, member: Callable[..., Member]
) -> None:
    """As older versions exported it."""
    played = played_league(
        {name: member(name).id for name in ("ann", "bob")}, ({"ann": 50, "bob": 40},)
    )
    document = exported(_late(played))
    document["sheets"] = [sheet for sheet in document["sheets"] if sheet["week"] == 2]
    assert document["sheets"]
    assert taken_in(document) == document


def test_a_sheet_that_was_saved_before_its_deadline_moved_ahead_comes_back(
    app: Flask, member: Callable[..., Member]
) -> None:
    """The deadline was at 15:00 when the sheet was saved at 13:00.

    The game was then moved to noon.
    """
    played = played_league(
        {name: member(name).id for name in ("ann", "bob")}, ({"ann": 50, "bob": 40},)
    )
    first = played.gameweeks[0]
    db.session.execute(
        update(SheetDeadline)
        .where(SheetDeadline.gameweek_id == first.id)
        .values(locks_at=first.deadline - timedelta(days=1))
    )
    db.session.commit()
    document = exported(played.league)
    assert taken_in(document) == document

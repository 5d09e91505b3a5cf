"""The demo league and season are complete, consistent and the same every time."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from app.accounts.rules import username_fault
from app.demo.clubs import CLUBS, rosters
from app.demo.market import market
from app.demo.season import (
    COMPETITION,
    CURRENT,
    LEAD,
    DemoFixture,
    DemoSeason,
    demo_season,
    later_week,
)
from app.fantasy.market.formats import FORMATS
from app.record.events import Overturn

NOW = datetime(2026, 11, 22, 18, 30, tzinfo=UTC)

NUMBERS = {
    "QB": [range(1, 20)],
    "RB": [range(20, 50)],
    "WR": [range(10, 20), range(80, 90)],
    "TE": [range(40, 50), range(80, 90)],
    "OL": [range(50, 80)],
    "K": [range(1, 20)],
    "P": [range(1, 20)],
    "DL": [range(50, 80), range(90, 100)],
    "LB": [range(40, 60), range(90, 100)],
    "CB": [range(20, 50)],
    "S": [range(20, 50)],
}


@pytest.fixture(scope="module")
def season() -> DemoSeason:
    return demo_season(NOW)


def test_the_same_moment_gives_the_same_season(season: DemoSeason) -> None:
    assert demo_season(NOW) == season


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        demo_season(datetime(2026, 11, 22))  # noqa: DTZ001


def test_there_are_eight_clubs_whose_colours_carry_white_text() -> None:
    assert len({club.id for club in CLUBS}) == 8
    assert len({club.nickname for club in CLUBS}) == 8
    assert len({club.colour for club in CLUBS}) == 8
    for club in CLUBS:
        assert 2 <= len(club.id) <= 4
        assert contrast_with_white(club.colour) >= 4.5, club.name


def contrast_with_white(colour: str) -> float:
    """WCAG 2.2, 'contrast ratio'."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def test_names_and_ids_are_unique_in_the_league(season: DemoSeason) -> None:
    assert len(season.footballers) == 320
    assert len({player.name for player in season.footballers}) == 320
    assert len({player.id for player in season.footballers}) == 320


def test_numbers_are_unique_in_a_club_and_fit_the_position() -> None:
    for club_id, roster in rosters().items():
        assert len({player.number for player in roster}) == len(roster) == 40
        assert {player.position for player in roster} == set(NUMBERS)
        for player in roster:
            assert any(player.number in allowed for allowed in NUMBERS[player.position]), player
            assert player.id == f"demo-{club_id}-{player.number}"
            assert player.club_id == club_id


def test_every_club_plays_once_a_gameweek_and_everybody_else_in_the_season(
    season: DemoSeason,
) -> None:
    for week in season.weeks:
        playing = [
            club for fixture in week.fixtures for club in (fixture.script.home, fixture.script.away)
        ]
        assert sorted(club.id for club in playing) == sorted(club.id for club in CLUBS)
    pairs = [{f.script.home.id, f.script.away.id} for week in season.weeks for f in week.fixtures]
    assert all(pairs.count(pair) == 1 for pair in pairs)
    assert len({fixture.script.game_id for week in season.weeks for fixture in week.fixtures}) == 16


def test_two_gameweeks_are_over_one_is_played_and_one_is_to_come(season: DemoSeason) -> None:
    phases = [Counter(fixture.phase for fixture in week.fixtures) for week in season.weeks]
    assert phases == [
        {"finished": 4},
        {"finished": 4},
        {"running": 2, "finished": 1, "scheduled": 1},
        {"scheduled": 4},
    ]
    assert season.current is season.weeks[CURRENT - 1]
    assert [week.deadline < NOW for week in season.weeks] == [True, True, True, False]


@pytest.mark.parametrize("speed", [1.0, 7.0])
def test_from_each_deadline_on_a_game_is_live_until_a_minute_before_the_next(speed: float) -> None:
    week = demo_season(NOW, speed=speed).weeks[-1]
    for number in (5, 6):
        kickoffs = sorted(fixture.start for fixture in week.fixtures)
        ends = sorted(end_of(fixture, speed) for fixture in week.fixtures)
        assert all(kickoff < end for kickoff, end in zip(kickoffs[1:], ends, strict=False))
        following = later_week(NOW.year, number, week.end(speed) + LEAD, speed)
        assert following.deadline - ends[-1] == timedelta(minutes=1)
        playing = [
            club.id
            for fixture in following.fixtures
            for club in (fixture.script.home, fixture.script.away)
        ]
        assert sorted(playing) == sorted(club.id for club in CLUBS)
        week = following


def end_of(fixture: DemoFixture, speed: float) -> datetime:
    return fixture.start + timedelta(milliseconds=fixture.script.events[-1].at_ms) / speed


def test_a_fixture_is_in_the_phase_that_it_names(season: DemoSeason) -> None:
    for week in season.weeks:
        for fixture in week.fixtures:
            end = fixture.start + timedelta(milliseconds=fixture.script.events[-1].at_ms)
            phase = "scheduled" if fixture.start > NOW else "running" if end > NOW else "finished"
            assert fixture.phase == phase
            assert fixture.script.kickoff == fixture.start
            script = fixture.script
            assert (script.competition, script.season, script.week) == (
                COMPETITION,
                season.season,
                week.number,
            )


def test_a_call_is_overturned_within_ten_minutes_in_each_running_game(season: DemoSeason) -> None:
    for fixture in season.current.fixtures:
        if fixture.phase == "running":
            times = [
                fixture.start + timedelta(milliseconds=step.at_ms)
                for step in fixture.script.events
                if isinstance(step.body, Overturn)
            ]
            assert any(
                NOW + timedelta(minutes=1) <= time <= NOW + timedelta(minutes=10) for time in times
            )


def test_there_are_twelve_members_with_good_usernames(season: DemoSeason) -> None:
    members = [team.account for team in season.teams]
    people = [*members, *season.staff]
    assert len(members) == 12
    assert {league.commissioner for league in season.leagues} <= {
        account.username for account in members
    }
    assert {account.roles for account in members} == {()}
    assert {(account.username, *account.roles) for account in season.staff} == {
        (role, role) for role in ("scorer", "moderator", "operator")
    }
    assert len({account.username.lower() for account in people}) == len(people)
    assert len({account.display_name for account in people}) == len(people)
    assert all(username_fault(account.username) is None for account in people)
    assert len({team.team_name for team in season.teams}) == 12


def test_every_first_team_sheet_keeps_the_rules_of_its_format(season: DemoSeason) -> None:
    roster_format, players = FORMATS["nfl-classic"], {player.id: player for player in market()}
    for team in season.teams:
        picks = [players[pick] for pick in team.squad.picks]
        assert len(set(picks)) == len(picks) == len(roster_format.places) == 13
        assert all(
            player.position in slot.accepts
            for player, slot in zip(picks, roster_format.places, strict=True)
        )
        assert sum(player.price for player in picks) <= roster_format.budget
        assert max(Counter(player.club for player in picks).values()) <= roster_format.club_limit
        assert team.squad.captain != team.squad.vice_captain
        assert {team.squad.captain, team.squad.vice_captain} <= set(
            range(1, len(roster_format.starters) + 1)
        )


def test_team_sheets_differ_and_draw_on_every_club(season: DemoSeason) -> None:
    club = {player.id: player.club_id for player in season.footballers}
    assert len({frozenset(team.squad.picks) for team in season.teams}) == 12
    assert {club[player] for team in season.teams for player in team.squad.picks} == {
        club.id for club in CLUBS
    }


def test_team_sheets_lock_at_the_first_kickoff(season: DemoSeason) -> None:
    for week in season.weeks:
        assert week.deadline == min(fixture.start for fixture in week.fixtures)


def test_the_market_has_a_price_for_everybody_who_may_stand_on_a_sheet(season: DemoSeason) -> None:
    positions = set(FORMATS["nfl-classic"].positions)
    on_market = {player.id for player in season.footballers if player.position in positions}
    on_market |= {f"{club.id}-DST" for club in season.clubs}
    assert {player.id for player in market()} == on_market
    assert all(player.price >= 40 for player in market())

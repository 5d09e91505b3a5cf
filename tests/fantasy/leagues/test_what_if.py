"""What if: without a change it is the real table.

With one it is what a plain recomputation says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks import live
from app.fantasy.leagues import rule_changes, what_if
from app.fantasy.leagues.rule_changes import NewScoring
from app.fantasy.leagues.what_if import Answer, Wish
from app.fantasy.market.gameweeks import gameweek_of
from app.fantasy.market.seasons import gameweeks_of
from app.fantasy.scoring.points import store_points_of
from app.fantasy.scoring.rules import PRESETS, points
from app.fantasy.standings import queries
from app.fantasy.standings.models import League, Matchup
from app.fantasy.standings.season_table import season_table
from app.record.models import GameState, StatLine
from tests.worlds.games import KICKOFF, make_game
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.played_league import settle

LATER = KICKOFF + timedelta(days=30)
TABLES = (
    "league_scores",
    "sheet_points",
    "player_points",
    "custom_rules",
    "leagues",
    "team_sheets",
    "league_members",
)
# What they did in each gameweek. H9 and S9 tackle, which standard scoring gives nothing for.
DONE: tuple[Mapping[str, Mapping[str, int]], ...] = (
    {
        "H1": {"passing_yards": 200, "passing_tds": 1},
        "H2": {"receiving_yards": 70, "receptions": 6},
        "H3": {"rushing_yards": 90, "rushing_tds": 1},
        "S1": {"passing_yards": 300, "passing_tds": 3},
        "S2": {"receiving_yards": 20, "receptions": 2},
        "S3": {"rushing_yards": 55},
    },
    {
        "H1": {"passing_yards": 100},
        "H2": {"receiving_yards": 130, "receptions": 9, "receiving_tds": 1},
        "S2": {"receiving_yards": 110, "receptions": 7},
        "S3": {"rushing_yards": 10},
    },
)
MINE = ["H1", "H3", "", "H2", "", "", "", "", "H9", "S1", "S3", "S2", ""]
SECOND = ["H1", "S3", "", "H2", "", "", "", "", "H9", "S1", "S2", "", ""]


@pytest.fixture
def season(app: Flask, member: Callable[..., Member]) -> tuple[League, dict[str, int]]:
    """Two settled gameweeks, head to head: Ann (captain H1) against Bob (captain S1) twice.

    Cat has no team.
    """
    make_game("g1")
    make_game("g2", 2)
    ids = {name: member(name).id for name in ("ann", "bob", "cat")}
    league = make_league(
        ids["ann"], {member_id: f"Team {name}" for name, member_id in ids.items()}, weeks=2
    )
    league.mode = "head_to_head"
    for week, squad in ((1, MINE), (2, SECOND)):
        make_sheet(ids["ann"], league, squad, captain="H1", vice="H2", week=week)
        make_sheet(ids["bob"], league, ["S1", "S3"], captain="S1", week=week)
    for week, gameweek in enumerate(gameweeks_of(league.season_id), start=1):
        game = f"g{week}"
        db.session.add(
            GameState(
                game_id=game,
                status="final",
                home_score=7,
                away_score=3,
                state={},
                version=1,
                updated_at=KICKOFF,
            )
        )
        for player, stats in DONE[week - 1].items():
            db.session.add(
                StatLine(game_id=game, player_id=player, team="HRB", stats=dict(stats), held={})
            )
        db.session.add(
            Matchup(
                league_id=league.id, gameweek_id=gameweek.id, home_id=ids["ann"], away_id=ids["bob"]
            )
        )
        gameweek.locked_at = KICKOFF
        db.session.flush()
        for rules in PRESETS.values():
            if rules.sport == "football":
                store_points_of([game], rules)
        db.session.commit()
        live.refresh_gameweek(gameweek.id, LATER)
        settle(gameweek, LATER)
    return league, ids


def asked(season: tuple[League, dict[str, int]], wish: Wish, name: str = "ann") -> Answer:
    league, ids = season
    row = queries.league_for_viewer(league.slug, ids[name])
    assert row is not None
    return what_if.answer(row, ids[name], wish, LATER)


def worth(player: str, week: int, rules: str = "standard") -> int:
    return points(DONE[week - 1].get(player, {}), PRESETS[rules], "")


def real(league: League) -> dict[int, tuple[int, int | None, int]]:
    """Total, match points and rank of everybody as the league's page has them."""
    row = queries.league_for_viewer(league.slug, league.commissioner_id or 0)
    gameweek = gameweek_of(league.season_id, 2)
    assert row is not None
    assert gameweek is not None
    return {
        place.member_id: (place.total, place.match_points, place.rank)
        for place in season_table(row, gameweek)
    }


def as_table(places: Mapping[int, what_if.Place]) -> dict[int, tuple[int, int | None, int]]:
    return {
        member: (place.total, place.match_points, place.rank) for member, place in places.items()
    }


@pytest.mark.parametrize("wish", [Wish(), Wish(captain="H1"), Wish(week=2, captain="H1")])
def test_without_a_change_it_is_the_real_table(
    season: tuple[League, dict[str, int]], wish: Wish
) -> None:
    answer = asked(season, wish)
    assert as_table(answer.before) == as_table(answer.after) == real(season[0])
    assert (answer.moves, answer.turned) == ((), ())
    assert [(week.points, week.result) for week in answer.weeks] == [
        (week.wished, week.wished_result) for week in answer.weeks
    ]
    assert sum(week.points for week in answer.weeks) == real(season[0])[season[1]["ann"]][0]


def test_another_captain_counts_twice_instead(season: tuple[League, dict[str, int]]) -> None:
    answer = asked(season, Wish(captain="H2"))
    assert [week.wished - week.points for week in answer.weeks] == [
        worth("H2", week) - worth("H1", week) for week in (1, 2)
    ]
    ann = season[1]["ann"]
    assert answer.after[ann].total == real(season[0])[ann][0] + sum(
        worth("H2", w) - worth("H1", w) for w in (1, 2)
    )


def test_a_gameweek_by_itself(season: tuple[League, dict[str, int]]) -> None:
    first, second = asked(season, Wish(week=2, captain="H2")).weeks
    assert first.wished == first.points
    assert second.wished - second.points == worth("H2", 2) - worth("H1", 2)


def test_who_comes_in_for_the_captain_takes_the_armband(
    season: tuple[League, dict[str, int]],
) -> None:
    first, second = asked(season, Wish(swaps=(("H1", "S1"),))).weeks
    assert first.wished - first.points == 2 * (worth("S1", 1) - worth("H1", 1))
    # In the second S1 did not play: the vice-captain is doubled. H1 stays on the bench of a team
    # with empty places.
    assert "S1" not in DONE[1]
    assert second.wished - second.points == worth("H2", 2) - 2 * worth("H1", 2)


@pytest.mark.everyday("holds promise G15 in make test")
def test_two_swaps_at_once_and_another_captain(season: tuple[League, dict[str, int]]) -> None:
    wish = Wish(week=1, captain="S3", swaps=(("H3", "S3"), ("H2", "S2")))
    week = asked(season, wish).weeks[0]
    starters = ("H1", "S3", "S2")
    assert week.wished == sum(worth(starter, 1) for starter in starters) + worth("S3", 1)


@pytest.mark.parametrize(
    ("wish", "fault"),
    [
        (Wish(captain="S9"), "S. Player9 was not on your team, so nothing changes."),
        (
            Wish(captain="S2"),
            "S. Player2 was on the bench. A captain must start, so start them too.",
        ),
        (Wish(swaps=(("S1", "S2"),)), "S. Player1 was already on the bench, so nothing changes."),
        (Wish(swaps=(("H2", "H3"),)), "H. Player3 already started, so nothing changes."),
        (Wish(swaps=(("H1", "S3"),)), "That lineup isn't valid"),
        (Wish(swaps=(("H1", "nobody"),)), "nobody was not on your team"),
    ],
)
def test_what_cannot_be_says_why_and_changes_nothing(
    season: tuple[League, dict[str, int]], wish: Wish, fault: str
) -> None:
    answer = asked(season, wish)
    assert answer.weeks[0].fault.startswith(fault)
    assert answer.weeks[0].points == answer.weeks[0].wished


def test_a_gameweek_without_the_footballer_stays_and_the_others_change(
    season: tuple[League, dict[str, int]],
) -> None:
    first, second = asked(season, Wish(captain="H3")).weeks
    assert (first.fault, first.wished - first.points) == ("", worth("H3", 1) - worth("H1", 1))
    assert second.fault == "H. Player3 was not on your team, so nothing changes."
    assert second.wished == second.points


def test_a_head_to_head_game_that_would_turn_is_named_for_both(
    season: tuple[League, dict[str, int]],
) -> None:
    league, ids = season
    before = real(league)
    answer = asked(season, Wish(week=1, swaps=(("H1", "S1"),)))
    first = answer.weeks[0]
    assert (first.result, first.wished_result) == (0, 3)
    assert [(game.member_id, game.before, game.after) for game in answer.turned] == [
        (ids["ann"], 0, 3),
        (ids["bob"], 3, 0),
    ]
    assert answer.after[ids["ann"]].match_points == (before[ids["ann"]][1] or 0) + 3
    assert {move.member_id for move in answer.moves} >= {ids["ann"], ids["bob"]}


def test_nothing_is_stored(season: tuple[League, dict[str, int]]) -> None:
    def hashes() -> list[str]:
        return [
            str(
                db.session.scalar(
                    text(f"SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM {table} t")
                )
            )
            for table in TABLES
        ]

    before = hashes()
    asked(season, Wish(captain="H2", swaps=(("H1", "S1"),)))
    league, ids = season
    row = queries.league_for_viewer(league.slug, ids["ann"])
    assert row is not None
    what_if.answer_of_rules(row, ids["ann"], NewScoring("PPR", PRESETS["ppr"].milli_points), LATER)
    what_if.answer_of_rules(row, ids["ann"], NewScoring("Own", {"receptions": 7000}), LATER)
    db.session.commit()
    assert hashes() == before


@pytest.mark.parametrize(
    "numbers", [PRESETS["ppr"].milli_points, {"receptions": 7000, "rushing_yards": 10}]
)
def test_another_scoring_is_the_table_that_the_change_makes(
    season: tuple[League, dict[str, int]], numbers: Mapping[str, int]
) -> None:
    league, ids = season
    row = queries.league_for_viewer(league.slug, ids["ann"])
    assert row is not None
    scoring = NewScoring("Other", numbers)
    answer = what_if.answer_of_rules(row, ids["ann"], scoring, LATER)
    assert as_table(answer.before) == real(league)
    assert answer.weeks[0].wished != answer.weeks[0].points
    change = rule_changes.apply(league, scoring, "A test", ids["ann"], LATER)
    assert not isinstance(change, list), change
    assert as_table(answer.after) == real(league)


def test_a_member_without_a_team_and_a_hidden_one(season: tuple[League, dict[str, int]]) -> None:
    league, ids = season
    assert asked(season, Wish(captain="H1"), "cat").weeks == ()
    db.session.execute(
        text("UPDATE members SET banned_at = now() WHERE id = :id"), {"id": ids["bob"]}
    )
    db.session.commit()
    answer = asked(season, Wish(captain="H2"))
    assert as_table(answer.before) == real(league)


PAGE = "/leagues/row/what-if"


def test_the_page_works_it_out_by_its_address(
    season: tuple[League, dict[str, int]], sign_in: Callable[..., FlaskClient]
) -> None:
    ann = sign_in(username="ann")
    assert ann.get(PAGE).status_code == 200
    page = ann.get(PAGE, query_string={"week": "1", "out": ["H1", "", ""], "in": ["S1", "", ""]})
    assert "Week 1: a win, not a loss." in " ".join(page.text.split())
    html = ann.get(PAGE, query_string={"captain": "H3"}).text
    assert "H. Player3 was not on your team, so nothing changes." in html
    assert ann.get(PAGE, query_string={"week": "x"}).status_code == 404
    odd = ann.get(PAGE, query_string={"captain": "<b>", "out": ["a"] * 9, "in": ["b"] * 9})
    assert odd.status_code == 200
    assert "<b>" not in odd.text.split('id="wish"')[1]
    assert (
        sign_in(username="cat").get(PAGE).text.count("Your team has not played in this league yet")
        == 1
    )
    assert sign_in(username="out").get(PAGE).status_code == 404


def test_another_scoring_is_the_commissioners_to_ask_for(
    season: tuple[League, dict[str, int]], sign_in: Callable[..., FlaskClient]
) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    assert "Try another scoring" in ann.get(PAGE).text
    assert "Try another scoring" not in bob.get(PAGE).text
    offered = [
        option.split('"')[0]
        for option in ann.get(PAGE).text.split('name="rules"')[1].split('value="')[1:]
    ]
    assert offered
    assert season[0].rules not in offered
    other = next(option for option in offered if option in PRESETS)
    assert "Result" in ann.get(f"{PAGE}/rules?rules={other}").text
    assert bob.get(f"{PAGE}/rules?rules={other}").status_code == 404
    for not_offered in ("nothing", season[0].rules):
        assert ann.get(f"{PAGE}/rules?rules={not_offered}").status_code == 404

"""From when a league counts, and what a rule change does to points already in its table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.gameweeks import live
from app.fantasy.leagues import export as league_export
from app.fantasy.leagues import history, rule_changes, rule_setting
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.rule_changes import NewScoring
from app.fantasy.leagues.rule_setting import SETTLED, STOPS, LeagueRules
from app.fantasy.leagues.rules import SET_TOO_LATE
from app.fantasy.leagues.services import NewLeague
from app.fantasy.market.models import Season
from app.fantasy.market.seasons import ensure_gameweek, gameweeks_of, set_deadlines
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.standings import queries
from app.fantasy.standings.models import League, LeagueScore, Matchup
from app.fantasy.standings.schedules import pair_gameweek
from tests.fantasy.leagues.test_pages import FORM
from tests.snapshots import made_once
from tests.worlds.league_season import AFTER, BEFORE, FIRST, LeagueWorld
from tests.worlds.played_league import CHOICE, KICKOFF, Played, add_sheet, played_league, totals

BETWEEN = KICKOFF + timedelta(days=9)  # the first two gameweeks are settled, the third is open
BIGGER = replace(CHOICE, budget=1100)
SignIn = Callable[..., FlaskClient]


@pytest.fixture
@made_once
def played(member: Callable[..., Member]) -> Played:
    ids = {name: member(name).id for name in ("ann", "bob")}
    return played_league(ids, ({"ann": 50, "bob": 40}, {"ann": 10, "bob": 30}))


def found(
    played: Played, first_week: int | None = None, name: str = "Late", mode: str = "total"
) -> League:
    """Another league of the same team rules, founded by Ann after gameweek 2; Bob joins."""
    new = NewLeague(
        name, "Ann FC", played.league.season_id, CHOICE, "standard_idp", mode, first_week=first_week
    )
    league = leagues.create(played.members["ann"], new, BETWEEN)
    assert isinstance(league, League), league
    assert leagues.join(played.members["bob"], league.id, "Bob FC", BETWEEN) is None
    return league


def scores(league: League) -> list[tuple[int, int, int]]:
    query = select(LeagueScore.gameweek_id, LeagueScore.member_id, LeagueScore.points)
    query = query.where(LeagueScore.league_id == league.id).order_by(
        LeagueScore.gameweek_id, LeagueScore.member_id
    )
    return [tuple(row) for row in db.session.execute(query)]


def test_a_league_counts_from_the_next_gameweek_that_teams_can_be_picked_for(
    make_world: Callable[..., LeagueWorld],
) -> None:
    world = make_world()
    assert world.league("Early", now=BEFORE).first_week == 1
    assert world.league("At the deadline", now=FIRST).first_week == 2
    assert world.league("Begun", now=AFTER).first_week == 2
    assert world.league("Chosen", now=AFTER, first_week=4).first_week == 4
    assert world.league("Over", now=FIRST + timedelta(weeks=9)).first_week == 4


def test_earlier_gameweeks_count_where_the_founder_says_so_alone(played: Played) -> None:
    ann, bob = played.members["ann"], played.members["bob"]
    late, whole = found(played), found(played, 1, "Whole")
    assert (late.first_week, scores(late), totals(late)) == (3, [], {ann: 0, bob: 0})
    assert totals(whole) == {ann: 12_000, bob: 14_000}
    assert history.race(late, ann, None).weeks == []
    assert history.race(whole, ann, None).weeks == [1, 2]
    document = league_export.document(late, BETWEEN)
    assert (document["scores"], document["sheets"], document["league"]["first_week"]) == ([], [], 3)
    # What comes later, a correction of an earlier gameweek too, leaves it at that.
    live.refresh_gameweek(played.gameweeks[0].id, BETWEEN)
    assert scores(late) == []


def test_who_plays_whom_is_drawn_from_the_first_gameweek_on(played: Played) -> None:
    late = found(played, 3, mode="head_to_head")
    for gameweek in played.gameweeks:
        pair_gameweek(gameweek.id)
    query = (
        select(Matchup.gameweek_id)
        .where(Matchup.league_id == late.id)
        .order_by(Matchup.gameweek_id)
    )
    assert list(db.session.scalars(query)) == [played.gameweeks[2].id]


def test_a_later_first_gameweek_takes_the_earlier_ones_from_the_table(played: Played) -> None:
    league, ann, bob = found(played, 1), played.members["ann"], played.members["bob"]
    rules = LeagueRules(CHOICE, "standard_idp", "total", "shared", first_week=2)
    assert rule_setting.set_rules(league.id, rules, BETWEEN) == [STOPS]
    stopping = rule_setting.stopping(league, CHOICE, 2)
    assert [(row.member_id, row.gameweek, row.points) for row in stopping.rows] == [
        (ann, "Week 1", 10_000),
        (bob, "Week 1", 8_000),
    ]
    assert rule_setting.set_rules(league.id, rules, BETWEEN, confirmed_stops=2) == []
    assert totals(league) == {ann: 2_000, bob: 6_000}
    assert {gameweek for gameweek, _, _ in scores(league)} == {played.gameweeks[1].id}
    table = queries.standings(league.id, played.gameweeks[0].id)
    assert [row.points for row in table] == [0, 0]


def test_points_of_sheets_that_no_longer_fit_leave_the_table_with_the_change(
    played: Played,
) -> None:
    league, ann, bob = found(played, 1), played.members["ann"], played.members["bob"]
    rules = LeagueRules(BIGGER, "standard_idp", "total", "shared")
    assert rule_setting.set_rules(league.id, rules, BETWEEN) == [STOPS]
    assert rule_setting.set_rules(league.id, rules, BETWEEN, confirmed_stops=3) == [STOPS]
    assert totals(league) == {ann: 12_000, bob: 14_000}
    assert rule_setting.stopping(league, BIGGER).count == 4
    assert rule_setting.set_rules(league.id, rules, BETWEEN, confirmed_stops=4) == []
    assert totals(league) == {ann: 0, bob: 0}
    assert {points for _, _, points in scores(league)} == {0}
    assert [row.points for row in queries.standings(league.id, played.gameweeks[0].id)] == [0, 0]
    # Back again every sheet counts as before.
    assert (
        rule_setting.set_rules(
            league.id, LeagueRules(CHOICE, "standard_idp", "total", "shared"), BETWEEN
        )
        == []
    )
    assert totals(league) == {ann: 12_000, bob: 14_000}


def test_rules_and_points_change_together_or_not_at_all(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = found(played, 1)
    before = (league.team_rules_id, scores(league), totals(league))

    def killed(*_: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(live.places, "stand_all", killed)
    with pytest.raises(RuntimeError, match="killed"):
        rule_setting.set_rules(
            league.id,
            LeagueRules(BIGGER, "standard_idp", "total", "shared"),
            BETWEEN,
            confirmed_stops=4,
        )
    db.session.expire_all()
    assert (league.team_rules_id, scores(league), totals(league)) == before


def test_after_settled_gameweeks_scoring_is_changed_with_a_preview_and_a_reason_alone(
    played: Played,
) -> None:
    league, ann = found(played, 1), played.members["ann"]
    assert rule_setting.set_rules(
        league.id, LeagueRules(CHOICE, "ppr_idp", "total", "shared"), BETWEEN
    ) == [SETTLED]
    scoring = NewScoring(
        "Standard", dict(PRESETS["standard_idp"].milli_points) | {"rushing_yards": 200}
    )
    assert rule_changes.set_scoring(league, scoring, BETWEEN) == [SET_TOO_LATE]
    assert [refusal.code for refusal in rule_changes.apply(league, scoring, " ", ann, BETWEEN)] == [
        "reason"
    ]  # type: ignore[union-attr]
    assert totals(league)[ann] == 12_000
    late = found(played, name="Free")
    assert rule_changes.set_scoring(late, scoring, BETWEEN) == []


def test_the_first_gameweek_goes_with_the_league_elsewhere(played: Played) -> None:
    from app.fantasy.leagues import importing as league_import

    late = found(played)
    document = league_export.as_json(league_export.document(late, BETWEEN, usernames=True))
    assert league_import.take_in(league_import.read(document), by=None).first_week == 3


def the_rules() -> int:
    return db.session.scalars(select(League.team_rules_id)).one()


def test_the_founder_chooses_from_which_gameweek_the_league_counts(
    sign_in: SignIn, season: Season
) -> None:
    ensure_gameweek(season, 2, KICKOFF.replace(year=2099) + timedelta(weeks=1))
    set_deadlines(season.id)
    db.session.commit()
    ann = sign_in(username="ann")
    assert '<option value="">The next open week' in ann.get("/leagues/new").text
    answer = ann.post("/leagues/new", data=FORM | {"first_week": "7"})
    assert (answer.status_code, "Choose one of the season&#39;s weeks." in answer.text) == (
        422,
        True,
    )
    assert ann.post("/leagues/new", data=FORM | {"first_week": "2"}).status_code == 303
    table = ann.get("/leagues/the-row").text
    assert "Counts from Week 2." in table
    assert "Week 1 does not count. This league starts in Week 2." in table
    assert "Week 2 (earlier weeks do not count)" in ann.get("/leagues/the-row/rules").text
    assert (
        ann.post("/leagues/the-row/settings/rules", data=FORM | {"first_week": "1"}).status_code
        == 303
    )
    assert "Counts from" not in ann.get("/leagues/the-row").text


def test_the_page_says_which_teams_stop_counting_before_the_rules_change(
    sign_in: SignIn, season: Season
) -> None:
    ann = sign_in(username="ann")
    ann.post("/leagues/new", data=FORM)
    league, week = db.session.scalars(select(League)).one(), gameweeks_of(season.id)[0]
    before = league.team_rules_id
    add_sheet(league.commissioner_id, league, week, "", clock.now())
    db.session.commit()
    page = ann.post("/leagues/the-row/settings/rules", data=FORM | {"budget": "110.0"})
    assert page.status_code == 422
    assert "1 lineup stops counting" in page.text
    assert "Ann FC" in page.text
    assert the_rules() == before
    fields = dict(
        re.findall(
            r'<input type="hidden" name="(\w+)" value="([^"]*)"',
            page.text.partition("stopping-title")[2],
        )
    )
    del fields["csrf_token"]
    assert fields["budget"] == "110.0"
    assert ann.post("/leagues/the-row/settings/rules", data=fields).status_code == 303
    assert the_rules() != before

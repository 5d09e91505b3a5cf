"""Founding, joining, leaving and running a league (PRODUCT B5)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import func, select

from app.core.db import db
from app.fantasy.leagues import rule_changes, rule_setting
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.models import LeagueBan
from app.fantasy.leagues.rule_setting import LeagueRules
from app.fantasy.leagues.rules import SET_TOO_LATE
from app.fantasy.leagues.services import NewLeague
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import TeamRules
from app.fantasy.scoring.statistics import STATISTICS
from app.fantasy.standings.models import League, LeagueMember, LeagueScore
from tests.waiting import join, patience
from tests.worlds.league_season import AFTER, BEFORE, CHOICE, FIRST, LeagueWorld

MakeWorld = Callable[..., LeagueWorld]


def members_of(league: League) -> list[int]:
    query = select(LeagueMember.member_id).where(LeagueMember.league_id == league.id)
    return sorted(db.session.scalars(query))


def test_the_founder_is_commissioner_and_first_member(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league("The Red Zone", by="ann")
    assert (league.slug, league.commissioner_id, league.is_public) == (
        "the-red-zone",
        world.ids["ann"],
        False,
    )
    assert members_of(league) == [world.ids["ann"]]
    assert world.league("The Red Zone", by="bob").slug == "the-red-zone-2"


def test_leagues_of_equal_team_rules_share_them(make_world: MakeWorld) -> None:
    world = make_world()
    first, second = world.league("A"), world.league("B")
    third = world.league("C", choice=replace(CHOICE, budget=900))
    assert first.team_rules_id == second.team_rules_id != third.team_rules_id


def test_all_that_is_wrong_with_a_new_league_is_said_at_once(make_world: MakeWorld) -> None:
    world = make_world()
    new = NewLeague(" ", "", world.season.id, CHOICE, "half_ppr_idp", mode="ladder", ties="coin")
    refused = leagues.create(world.member("ann"), new, BEFORE)
    assert isinstance(refused, list)
    assert [refusal.field for refusal in refused] == ["name", "team_name", "mode", "ties"]
    assert db.session.scalar(select(func.count()).select_from(League)) == 0


def test_names_of_leagues_and_teams_have_one_spelling(make_world: MakeWorld) -> None:
    """Unicode's composed form with single spaces (UAX 15, NFC), as for names of members."""
    world = make_world()
    league = world.league(" Red \u00a0 Zone ", by="ann")
    assert league.name == "Red Zone"
    assert leagues.join(world.member("bob"), league.id, "Cafe\u0301  FC", BEFORE) is None
    assert db.session.get_one(LeagueMember, (league.id, world.ids["bob"])).team_name == "Café FC"
    assert leagues.rename(league.id, "Blue  Zone", BEFORE) == []
    assert leagues.rename_team(league.id, world.ids["bob"], " New  FC") == []
    assert (
        league.name,
        db.session.get_one(LeagueMember, (league.id, world.ids["bob"])).team_name,
    ) == (
        "Blue Zone",
        "New FC",
    )


def test_names_of_leagues_and_teams_speak_for_no_office_and_hold_no_refused_word(
    make_world: MakeWorld, app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REFUSED_NAMES_FILE: words that no name may hold (docs/settings.md)."""
    world = make_world()
    league = world.league("Red Zone", by="ann")
    words = tmp_path / "words.txt"
    words.write_text("Rubbish\n")
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], refused_names_file=str(words))
    )
    for name in ("Rubb1sh FC", "Pressbox League", "Moderat\u043er"):
        assert [refusal.field for refusal in leagues.refusals(name, name, "total", "shared")] == [
            "name",
            "team_name",
        ]
        refused = leagues.join(world.member("bob"), league.id, name, BEFORE)
        assert refused is not None
        assert refused.field == "team_name"
        assert [refusal.field for refusal in leagues.rename(league.id, name, BEFORE)] == ["name"]
        assert [
            refusal.field for refusal in leagues.rename_team(league.id, world.ids["ann"], name)
        ] == ["team_name"]
    assert league.name == "Red Zone"
    assert leagues.rename(league.id, "The Press Box", BEFORE) == [], "a place in every stadium"


def test_a_league_refuses_a_second_team_of_the_same_name(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league("Red Zone", by="ann")
    bob = world.member("bob")
    assert leagues.rename_team(league.id, world.ids["ann"], "Café Racers") == []
    assert leagues.join(bob, league.id, "CAFÉ  racers", BEFORE) == leagues.SAME_TEAM_NAME
    assert bob not in members_of(league)
    assert leagues.join(bob, league.id, "Bob FC", BEFORE) is None
    assert leagues.rename_team(league.id, bob, "cafe\u0301 racers") == [leagues.SAME_TEAM_NAME]
    assert db.session.get_one(LeagueMember, (league.id, bob)).team_name == "Bob FC"
    assert leagues.rename_team(league.id, bob, "BOB FC") == [], "one's own name may change its case"
    other = world.league("Blue Zone", by="cat")
    assert leagues.join(bob, other.id, "Café Racers", BEFORE) is None, "another league"


def test_joining_by_code_however_it_is_typed(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league()
    code = league.invite_code
    invited = leagues.invited(f" {code[:4].lower()}-{code[4:]} ")
    assert invited is not None
    assert invited.id == league.id
    bob = world.join(league, "bob")
    world.join(league, "bob")  # again changes nothing
    assert members_of(league) == [world.ids["ann"], bob]
    leagues.renew_code(league.id)
    assert leagues.invited(code) is None


def test_public_leagues_alone_are_seen_by_everybody(make_world: MakeWorld) -> None:
    world = make_world()
    hidden, listed = world.league("Hidden"), world.league("Shown", is_public=True)
    assert leagues.public(hidden.slug) is None
    assert leagues.public(listed.slug) is not None
    assert leagues.for_member(hidden.slug, world.member("bob")) is None
    world.join(hidden, "bob")
    assert leagues.for_member(hidden.slug, world.member("bob")) is not None
    assert leagues.for_commissioner(hidden.slug, world.member("bob")) is None
    assert leagues.for_commissioner(hidden.slug, world.member("ann")) is not None


def test_leaving_keeps_the_history(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league()
    bob = world.join(league, "bob")
    score = {"league_id": league.id, "member_id": bob, "gameweek_id": world.gameweeks[0].id}
    db.session.add(LeagueScore(**score, team_name="Bob FC", points=12_000))
    db.session.commit()
    assert leagues.leave(bob, league.id, BEFORE) is None
    assert members_of(league) == [world.ids["ann"]]
    assert db.session.get(LeagueScore, tuple(score.values())) is not None
    assert leagues.leave(world.ids["ann"], league.id, BEFORE) == leagues.LAST


def test_a_commissioner_hands_over_before_they_leave(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league()
    bob, ann = world.join(league, "bob"), world.ids["ann"]
    assert leagues.leave(ann, league.id, BEFORE) == leagues.STAYS
    assert leagues.hand_over(league.id, world.member("eve"), BEFORE) == leagues.NO_MEMBER
    assert leagues.hand_over(league.id, ann, BEFORE) == leagues.YOURSELF
    assert leagues.hand_over(league.id, bob, BEFORE) is None
    assert leagues.leave(ann, league.id, BEFORE) is None
    assert leagues.for_commissioner(league.slug, bob) is not None


def test_a_league_that_nobody_played_in_goes_with_its_last_member(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league()
    assert leagues.leave(world.ids["ann"], league.id, BEFORE) is None
    assert db.session.scalar(select(func.count()).select_from(League)) == 0


def test_who_was_removed_stays_out_until_let_back(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league()
    bob = world.join(league, "bob")
    assert leagues.remove(league.id, world.ids["ann"], BEFORE) == leagues.YOURSELF
    assert leagues.remove(league.id, world.member("eve"), BEFORE) == leagues.NO_MEMBER
    assert leagues.remove(league.id, bob, BEFORE) is None
    assert leagues.join(bob, league.id, "Bob FC", BEFORE) == leagues.BANNED
    leagues.let_back(league.id, bob)
    assert leagues.join(bob, league.id, "Bob FC", BEFORE) is None
    assert db.session.scalar(select(func.count()).select_from(LeagueBan)) == 0


def test_renaming_keeps_the_address(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league("Row")
    assert leagues.rename(league.id, " The Column ", BEFORE) == []
    assert (league.name, league.slug) == ("The Column", "row")
    assert [refusal.field for refusal in leagues.rename(league.id, "", BEFORE)] == ["name"]


def test_rules_are_set_before_the_first_deadline_only(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league()
    bigger = replace(CHOICE, budget=1200)
    assert (
        rule_setting.set_rules(
            league.id, LeagueRules(bigger, "ppr_idp", "head_to_head", "fewest_transfers"), BEFORE
        )
        == []
    )
    assert (league.rules, league.mode, league.ties) == (
        "ppr_idp",
        "head_to_head",
        "fewest_transfers",
    )
    assert db.session.get_one(TeamRules, league.team_rules_id).budget == 1200
    last = FIRST - timedelta(microseconds=1)
    assert (
        rule_setting.set_rules(
            league.id, LeagueRules(bigger, "standard_idp", "total", "shared"), last
        )
        == []
    )
    assert rule_setting.set_rules(
        league.id, LeagueRules(bigger, "ppr_idp", "total", "shared"), FIRST
    ) == [SET_TOO_LATE]
    assert league.rules == "standard_idp"


def test_an_earlier_deadline_of_the_league_closes_its_rules_earlier(make_world: MakeWorld) -> None:
    world = make_world()
    early = replace(CHOICE, deadline="TUE 12:00")
    league = world.league(now=BEFORE - timedelta(days=3))
    tuesday = BEFORE + timedelta(days=1)
    assert rule_setting.set_rules(
        league.id, LeagueRules(early, "ppr_idp", "total", "shared"), tuesday + timedelta(hours=12)
    ) == [SET_TOO_LATE]
    assert (
        rule_setting.set_rules(league.id, LeagueRules(early, "ppr_idp", "total", "shared"), BEFORE)
        == []
    )


def test_a_league_made_during_the_season_is_set_until_its_own_first_deadline(
    make_world: MakeWorld,
) -> None:
    world = make_world()
    league = world.league(now=AFTER)
    assert (
        rule_setting.set_rules(
            league.id, LeagueRules(CHOICE, "ppr_idp", "total", "shared"), AFTER + timedelta(days=6)
        )
        == []
    )
    assert rule_setting.set_rules(
        league.id, LeagueRules(CHOICE, "ppr_idp", "total", "shared"), FIRST + timedelta(days=7)
    ) == [SET_TOO_LATE]
    late = world.league("Late", now=FIRST + timedelta(weeks=9))
    assert rule_setting.set_rules(
        late.id, LeagueRules(CHOICE, "ppr_idp", "total", "shared"), FIRST + timedelta(weeks=9)
    ) == [SET_TOO_LATE]


def test_two_leagues_of_one_name_at_once_get_two_addresses(
    app: Flask, make_world: MakeWorld
) -> None:
    world = make_world()
    members = [world.member(name) for name in ("ann", "bob", "cat", "dan")]
    season_id = world.season.id
    db.session.commit()
    begin = threading.Barrier(len(members))

    def found(member_id: int) -> None:
        with app.app_context():
            begin.wait(patience(60))
            leagues.create(
                member_id, NewLeague("Row", "Team", season_id, CHOICE, "ppr_idp"), BEFORE
            )

    threads = [threading.Thread(target=found, args=(member,)) for member in members]
    for thread in threads:
        thread.start()
    join(*threads)
    assert sorted(db.session.scalars(select(League.slug))) == ["row", "row-2", "row-3", "row-4"]


def test_scoring_that_leaves_a_place_without_points_is_refused_by_name(
    make_world: MakeWorld,
) -> None:
    world = make_world()
    new = NewLeague("Row", "Ann FC", world.season.id, CHOICE, "yahoo")
    refused = leagues.create(world.member("ann"), new, BEFORE)
    assert isinstance(refused, list)
    assert [(refusal.code, refusal.field) for refusal in refused] == [("worthless_places", "rules")]
    assert refused[0].text.startswith(
        "The slot IDP of NFL classic would score nothing under Yahoo default. Choose"
    )
    league = world.league()
    assert (
        rule_setting.set_rules(
            league.id, LeagueRules(CHOICE, "standard", "total", "shared"), BEFORE
        )[0].field
        == "rules"
    )
    assert league.rules == "half_ppr_idp"
    offence = TeamRulesChoice.of("nfl-offence", "UTC")
    assert (
        rule_setting.set_rules(
            league.id, LeagueRules(offence, "standard", "total", "shared"), BEFORE
        )
        == []
    )


def test_a_league_from_before_the_refusal_keeps_its_pair_until_it_changes_one_of_both(
    make_world: MakeWorld,
) -> None:
    world = make_world()
    league = world.league()
    league.rules = "standard"
    db.session.commit()
    assert (
        rule_setting.set_rules(
            league.id, LeagueRules(CHOICE, "standard", "head_to_head", "shared"), BEFORE
        )
        == []
    )
    assert [
        refusal.code
        for refusal in rule_setting.set_rules(
            league.id, LeagueRules(CHOICE, "ppr", "total", "shared"), BEFORE
        )
    ] == ["worthless_places"]


def test_numbers_of_a_leagues_own_cannot_take_a_places_last_points(make_world: MakeWorld) -> None:
    world = make_world()
    league = world.league()
    numbers = {stat: 1_000 for stat, statistic in STATISTICS.items() if statistic.unit == "offence"}
    refused = rule_changes.set_scoring(league, rule_changes.NewScoring("Ours", numbers), BEFORE)
    assert refused[0].text.startswith(
        "The slots K and IDP of NFL classic would score nothing under these numbers"
    )
    scoring = rule_changes.NewScoring("Ours", numbers | {"fg_made_40_49": 4_000, "half_sacks": 500})
    assert rule_changes.set_scoring(league, scoring, BEFORE) == []

"""How to play: made from a league's own rules, so that it changes with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from app.core import clock
from app.core.db import db
from app.fantasy.leagues import how_to_play
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import FORMATS, IDP
from app.fantasy.market.models import TeamRules
from app.fantasy.scoring.rules import PPR, SOCCER, STANDARD, YAHOO
from tests.worlds.league_season import LeagueWorld
from tests.worlds.team_sheets import make_world as make_cup

CLASSIC = TeamRulesChoice.of("nfl-classic", "America/New_York")
MakeWorld = Callable[..., LeagueWorld]


def told(choice: TeamRulesChoice, mode: str = "total", ties: str = "shared") -> str:
    return "\n".join(
        line for chapter in how_to_play.chapters(choice, mode, ties) for line in chapter.lines
    )


def test_the_places_and_the_money_are_the_leagues() -> None:
    text = told(replace(CLASSIC, budget=875, club_limit=1))
    assert "1 QB, 2 RB, 2 WR, 1 TE, 1 FLEX (RB, WR or TE), 1 K, 1 IDP (any defender)" in text
    assert "4 SUB (any position) on the bench" in text
    assert "87.5 million to spend and can pick at most 1 player from one club" in text
    soccer = told(TeamRulesChoice.of("soccer", "Europe/London"))
    assert "A full team has 2 GK, 5 DEF, 5 MID, 3 FWD." in soccer


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"lock": "game"}, "Each player locks at kickoff of their game"),
        (
            {"deadline": "THU 18:00"},
            "locks together: Thu 18:00 before the first kickoff, America/New York.",
        ),
        ({}, "at the weekly deadline, shown in America/New York time."),
        ({"free_transfers": None}, "Change as many players as you like."),
        ({"free_transfers": 1, "bank_limit": 0}, "1 transfer per week is free."),
        (
            {"transfer_cost": 2500},
            "2 transfers per week are free, and you can bank up to 5. Each extra",
        ),
        ({"transfer_cost": 2500}, "transfer costs 2.50 points."),
    ],
)
def test_deadline_and_transfers_are_the_leagues(changed: dict[str, object], sentence: str) -> None:
    assert sentence in told(replace(CLASSIC, **changed))  # type: ignore[arg-type]


def test_table_and_ties_are_the_leagues() -> None:
    text = told(CLASSIC, "head_to_head", "fewest_transfers")
    assert "You play another team each week" in text
    assert "Ties go to the team with fewer transfers." in text


def test_examples_are_worked_out_by_the_leagues_scoring() -> None:
    def of(team_format: str, scoring: object) -> dict[str, str]:
        return {
            example.position: example.points
            for example in how_to_play.examples(team_format, scoring)
        }  # type: ignore[arg-type]

    assert of("nfl-classic", STANDARD)["WR"] == "15.00"
    assert of("nfl-classic", PPR)["WR"] == "21.00"
    assert of("nfl-classic", YAHOO)["K"] == "11.00"
    assert of("soccer", SOCCER) == {"GK": "8.00", "DEF": "6.00", "MID": "10.00", "FWD": "9.00"}


@pytest.mark.parametrize("team_format", sorted(FORMATS))
def test_every_kind_of_place_has_an_example(team_format: str) -> None:
    football = team_format.startswith("nfl")
    positions = {
        example.position
        for example in how_to_play.examples(team_format, STANDARD if football else SOCCER)
    }
    kinds = {
        "Defense" if position in IDP else position for position in FORMATS[team_format].positions
    }
    assert positions == kinds
    assert (
        {"QB", "RB", "WR", "TE"} <= positions
        if football
        else positions == {"GK", "DEF", "MID", "FWD"}
    )


def test_a_member_reads_their_leagues_own_rules_and_others_do_not(
    sign_in: Callable[..., FlaskClient], make_world: MakeWorld
) -> None:
    league = make_world().league(mode="head_to_head")
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    db.session.execute(
        update(TeamRules).where(TeamRules.id == league.team_rules_id).values(budget=640)
    )
    db.session.commit()
    page = ann.get("/leagues/row/how-to-play")
    assert page.status_code == 200
    assert "64.0 million" in page.text
    assert "You play another team each week" in page.text
    assert "Half PPR" in page.text
    assert 'href="/leagues/row/how-to-play"' in ann.get("/leagues/row/rules").text
    assert 'href="/leagues/row/how-to-play"' in ann.get("/how-to-play").text
    assert bob.get("/leagues/row/how-to-play").status_code == 404


def test_everybody_reads_the_rules_of_the_season_that_is_played(
    client: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    assert "No season yet" in client.get("/how-to-play").text
    world = make_cup(real=True, first=clock.now().replace(year=2099))
    page = client.get("/how-to-play").text
    assert "the league for everyone in" in page
    assert "1 GK, 4 OUT (DEF, MID or FWD)" in page
    assert "Register and pick a team" in page
    assert "Soccer, after Fantasy Premier League" in page
    ann = sign_in(username="ann").get("/how-to-play").text
    assert "You have no team yet." in ann
    assert f'href="/team/{world.team_rules.id}"' in ann


def test_it_is_linked_from_every_page(client: FlaskClient) -> None:
    assert 'href="/how-to-play"' in client.get("/games").text

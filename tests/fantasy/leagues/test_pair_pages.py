"""Scoring and places of a team that go together, on the pages of leagues."""

from __future__ import annotations

import re

from app.fantasy.market.models import Season
from tests.fantasy.leagues.test_pages import FORM, SignIn, the_league


def test_a_pair_that_leaves_a_place_without_points_is_refused_at_its_field(
    sign_in: SignIn, season: Season
) -> None:
    ann = sign_in(username="ann")
    form = ann.get("/leagues/new").text
    assert re.search(r'<option data-formats="nfl-team-defence nfl-offence" value="yahoo">', form)
    assert re.search(
        r'<option data-formats="[^"]*nfl-classic[^"]*" selected value="half_ppr_idp">', form
    )
    answer = ann.post("/leagues/new", data=FORM | {"rules": "yahoo"})
    assert answer.status_code == 422
    assert "The slot IDP of NFL classic would score nothing under Yahoo default" in answer.text
    assert (
        ann.post(
            "/leagues/new", data=FORM | {"rules": "yahoo", "format": "nfl-offence"}
        ).status_code
        == 303
    )
    assert (the_league().rules, "NFL offense" in ann.get("/leagues/the-row/rules").text) == (
        "yahoo",
        True,
    )


def test_the_result_between_teams_is_offered_with_head_to_head_alone(
    sign_in: SignIn, season: Season
) -> None:
    ann = sign_in(username="ann")
    form = ann.get("/leagues/new").text
    assert (
        '<option data-mode="head_to_head" value="result_between">Head-to-head result</option>'
        in form
    )
    chosen = FORM | {"ties": "result_between"}
    refused = ann.post("/leagues/new", data=chosen | {"mode": "total"})
    assert (refused.status_code, "This tiebreaker needs head to head" in refused.text) == (
        422,
        True,
    )
    assert ann.post("/leagues/new", data=chosen | {"mode": "head_to_head"}).status_code == 303
    assert the_league().ties == "result_between"


def test_the_rules_list_what_a_team_can_earn(sign_in: SignIn, season: Season) -> None:
    ann = sign_in(username="ann")
    ann.post("/leagues/new", data=FORM)
    assert "D/ST" not in ann.get("/leagues/the-row/rules").text
    ann.post("/leagues/new", data=FORM | {"name": "Two", "format": "nfl-team-defence"})
    text = ann.get("/leagues/two/rules").text
    assert "D/ST: 7 to 13 points allowed" in text
    assert "Solo tackle" in text

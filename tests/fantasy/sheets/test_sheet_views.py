"""The team sheet editor's pages: drafts in the address, saving, refusals, whose teams they are."""

from __future__ import annotations

import doctest
import html
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update
from werkzeug.test import TestResponse

from app.core import clock
from app.core.db import db
from app.core.serving import RECEIVED_AT
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import FootballerSeason, FootballerTotals, SheetDeadline
from app.fantasy.pages.team_sheet import page as sheet_page
from app.fantasy.pages.team_sheet import words as sheet_words
from app.fantasy.sheets.fitting import fitting, positions_of
from app.fantasy.standings.models import League, LeagueMember
from tests.polling import forget_parts
from tests.statements import count_statements
from tests.worlds.team_sheets import (
    CAPTAINS,
    CLUBS,
    TEAM,
    World,
    make_world,
    reprice,
    rows,
    with_change,
)

HTMX = {"HX-Request": "true"}


def draft(world: World, picks: tuple[str, ...] = TEAM, **more: object) -> dict[str, object]:
    captain, vice_captain = CAPTAINS
    return {
        "gameweek": world.gameweeks[0].id,
        "version": 0,
        "p": list(picks),
        "captain": captain,
        "vice_captain": vice_captain,
    } | more


def drafted(response: object) -> list[str]:
    """The picks in the address that the page takes."""
    address = response.headers["HX-Replace-Url"]  # type: ignore[attr-defined]
    return parse_qs(urlsplit(address).query, keep_blank_values=True)["p"]


def page(world: World) -> str:
    return f"/team/{world.team_rules.id}"


def lock(world: World, moment: datetime) -> None:
    db.session.get_one(
        SheetDeadline, (world.team_rules.id, world.gameweeks[0].id)
    ).locks_at = moment
    db.session.commit()


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(sheet_page).failed == 0
    assert doctest.testmod(sheet_words).failed == 0


def test_the_only_team_is_opened_at_once(world: World, ann: FlaskClient) -> None:
    answer = ann.get("/team")
    assert (answer.status_code, answer.location) == (303, page(world))
    text = ann.get(page(world)).text
    assert "Your team · Week 1" in text
    assert "2 days 3 hours" in text
    locks = world.deadline(1).isoformat()
    # times.js puts it into the viewer's zone
    assert f'<time datetime="{locks}" data-style="weekday">' in text
    assert text.count("Times are in") == 1
    assert text.count('<span class="visually-hidden">Slot ') == 7


def test_of_several_teams_one_is_chosen(world: World, ann: FlaskClient) -> None:
    make_world(real=True, first=clock.now() + timedelta(days=1), competition="plate")
    text = ann.get("/team").text
    assert text.count("no team yet.") == 2
    assert "Your teams" in text


def test_teams_of_strangers_leagues_are_not_shown(world: World, ann: FlaskClient) -> None:
    hidden = make_world(competition="simulated")
    assert ann.get(page(hidden)).status_code == 404
    assert ann.get("/team/999").status_code == 404
    db.session.add(LeagueMember(league_id=hidden.overall.id, member_id=1, team_name="Ann"))
    db.session.commit()
    assert ann.get(page(hidden)).status_code == 200


def test_a_pick_goes_where_it_was_chosen_for_and_the_next_empty_place_is_chosen(
    world: World, ann: FlaskClient
) -> None:
    answer = ann.get(
        page(world), query_string=draft(world, ("",) * 7, choose=2, pick="BUR6"), headers=HTMX
    )
    assert drafted(answer) == ["", "BUR6", "", "", "", "", ""]
    assert 'data-place="3"' in answer.text
    assert "<html" not in answer.text
    assert "50.0m left" in answer.text


def test_a_pick_without_a_place_takes_the_first_that_is_free_for_them(
    world: World, ann: FlaskClient
) -> None:
    picks = ("AYR1", "", "", "DOV3", "", "", "")
    answer = ann.get(page(world), query_string=draft(world, picks, pick="BUR1"), headers=HTMX)
    assert drafted(answer) == ["AYR1", "", "", "DOV3", "", "BUR1", ""]


def test_two_of_the_team_change_places(world: World, ann: FlaskClient) -> None:
    answer = ann.get(page(world), query_string=draft(world, choose=2, pick="BUR2"), headers=HTMX)
    assert drafted(answer) == ["AYR1", "BUR2", "CRK5", "DOV3", "AYR4", "BUR6", "CRK3"]


def test_a_footballer_is_taken_out(world: World, ann: FlaskClient) -> None:
    answer = ann.get(page(world), query_string=draft(world, drop=3), headers=HTMX)
    assert drafted(answer) == ["AYR1", "BUR6", "", "DOV3", "AYR4", "BUR2", "CRK3"]


def test_a_team_is_saved_and_shown(world: World, ann: FlaskClient) -> None:
    answer = ann.post(page(world), data=draft(world))
    assert (answer.status_code, answer.location) == (303, f"{page(world)}?saved=1")
    text = ann.get(answer.location).text
    assert "<strong>Saved.</strong>" in text
    assert "16.5m left" in text
    assert tuple(rows()[0].picks) == TEAM
    assert "Saved." not in ann.get(f"{page(world)}?saved=7").text


def test_every_refusal_stands_at_the_top_and_at_its_place(world: World, ann: FlaskClient) -> None:
    answer = ann.post(
        page(world), data=draft(world, with_change("CRK3", "AYR5"), captain=0, vice_captain=7)
    )
    assert answer.status_code == 422
    assert "Not saved: 2 problems to fix" in answer.text
    answer = ann.post(
        page(world), data=draft(world, ("BUR6", *TEAM[1:4], "", "AYR5", "AYR6"), captain=0)
    )
    assert "Not saved: 4 problems to fix" in answer.text
    assert '<a href="#place-1">Bur 6 plays FWD. GK (slot 1) takes GK.</a>' in answer.text
    assert 'aria-describedby="fault-1"' in answer.text
    assert "You have no captain. Choose one of your starters." in answer.text
    assert rows() == []


def test_the_draft_of_a_refused_team_is_kept(world: World, ann: FlaskClient) -> None:
    answer = ann.post(page(world), data=draft(world, captain=0), headers=HTMX)
    assert answer.status_code == 422
    assert [f'name="p" value="{pick}"' in answer.text for pick in TEAM] == [True] * 7


def test_after_the_deadline_the_form_of_before_saves_nothing(
    world: World, ann: FlaskClient
) -> None:
    lock(world, clock.now())
    answer = ann.post(page(world), data=draft(world))
    assert answer.status_code == 422
    assert "You had no team saved." in answer.text
    assert "Save team" not in answer.text
    assert "Edit Week 2" in answer.text
    assert rows() == []
    assert "Your team · Week 2" in ann.get(page(world)).text


def test_after_the_deadline_the_page_shows_the_team_that_counts(
    world: World, ann: FlaskClient
) -> None:
    ann.post(page(world), data=draft(world))
    unsaved = draft(world, with_change("CRK3", "CRK2"), captain=4, version=1)
    lock(world, clock.now())
    for answer in (
        ann.post(page(world), data=unsaved, headers=HTMX),
        ann.get(page(world), query_string=unsaved, headers=HTMX),
    ):
        assert "Your last saved team counts." in answer.text
        assert [f'name="p" value="{pick}"' in answer.text for pick in TEAM] == [True] * 7
        assert f'name="captain" value="{CAPTAINS[0]}"' in answer.text


@pytest.mark.fault(20)
def test_a_save_that_waited_for_its_turn_at_the_deadline_is_in_time(
    world: World, ann: FlaskClient
) -> None:
    received = clock.now()
    lock(world, received + timedelta(microseconds=1))
    answer = ann.post(
        page(world), data=draft(world), environ_overrides={RECEIVED_AT: received.timestamp()}
    )
    assert answer.status_code == 303
    assert [row.saved_at for row in rows()] == [received]


def test_after_the_last_gameweek_there_is_no_team_to_pick(
    app: Flask, sign_in: Callable[..., FlaskClient]
) -> None:
    world = make_world(real=True, first=clock.now() - timedelta(days=9), weeks=1)
    assert "no weeks left to pick a team for" in sign_in(username="ann").get(page(world)).text


def test_a_sheet_that_was_saved_elsewhere_is_not_overwritten(
    world: World, ann: FlaskClient
) -> None:
    ann.post(page(world), data=draft(world))
    answer = ann.post(page(world), data=draft(world, captain=4))
    assert answer.status_code == 422
    assert "This lineup was changed elsewhere" in answer.text
    assert rows()[0].captain == CAPTAINS[0]
    [keep] = re.findall(r'id="keep-mine"\s+href="([^"]+)"', answer.text)
    again = ann.get(html.unescape(keep))
    assert 'name="captain" value="4"' in again.text
    [version] = re.findall(r'name="version" value="(\d+)"', again.text)
    answer = ann.post(page(world), data=draft(world, captain=4, version=version))
    assert answer.status_code == 303
    assert [row.captain for row in rows()] == [4]


def test_two_tabs_save_what_each_changed(world: World, ann: FlaskClient) -> None:
    """Without JavaScript: both forms hold the team that they were loaded with."""
    ann.post(page(world), data=draft(world))
    base = re.search(r'name="base" value="([^"]*)"', ann.get(page(world)).text)
    assert base is not None
    form = draft(world, version=1, base=base[1])
    answer = ann.post(page(world), data=form | {"p": list(with_change("CRK3", "CRK2"))})
    assert "<strong>Saved.</strong>" in ann.get(answer.location).text
    answer = ann.post(page(world), data=form | {"captain": 4})
    assert answer.status_code == 303
    message = "<strong>Saved, with your changes from another tab or device.</strong>"
    assert message in ann.get(answer.location).text
    [row] = rows()
    assert (tuple(row.picks), row.captain) == (with_change("CRK3", "CRK2"), 4)


def test_a_conflict_is_shown_with_what_the_member_chose_and_a_second_save_uses_it(
    world: World, ann: FlaskClient
) -> None:
    ann.post(page(world), data=draft(world))
    form = draft(world, version=1, base=f"{','.join(TEAM)}|2|3")
    ann.post(page(world), data=form | {"p": list(with_change("CRK3", "CRK2")), "captain": 5})
    mine = with_change("CRK3", "DOV5")
    answer = ann.post(page(world), data=form | {"p": list(mine)})
    assert answer.status_code == 422
    assert "you chose Dov 5, but another tab or device saved Crk 2." in answer.text
    fields = {
        name: re.findall(rf'<input type="hidden" name="{name}" value="([^"]*)"', answer.text)
        for name in ("p", "captain", "vice_captain", "version", "base", "gameweek")
    }
    assert (tuple(fields["p"]), fields["captain"]) == (mine, ["5"])
    assert ann.post(page(world), data=fields).status_code == 303
    assert (tuple(rows()[0].picks), rows()[0].captain) == (mine, 5)


def test_a_draft_keeps_the_team_that_it_was_made_from_in_its_address(
    world: World, ann: FlaskClient
) -> None:
    ann.post(page(world), data=draft(world))
    dropped = ann.get(page(world), query_string=draft(world, version=1, drop=3), headers=HTMX)
    fields = parse_qs(urlsplit(dropped.headers["HX-Replace-Url"]).query)
    assert fields["base"] == [f"{','.join(TEAM)}|2|3"]
    old = ann.get(page(world), query_string=draft(world, version=7, drop=3), headers=HTMX)
    assert 'name="base" value=""' in old.text, "made from a team that nobody knows any more"


def test_last_gameweeks_team_is_shown_with_what_changing_it_would_cost(
    world: World, ann: FlaskClient
) -> None:
    ann.post(page(world), data=draft(world))
    lock(world, clock.now())
    text = ann.get(page(world)).text
    assert "last week's team will be used" in text
    assert "1 free transfer" in text
    picks = tuple({"CRK3": "CRK2", "BUR2": "BUR3"}.get(pick, pick) for pick in TEAM)
    changed = draft(world, picks) | {"gameweek": world.gameweeks[1].id}
    text = ann.get(page(world), query_string=changed | {"choose": 7}).text
    assert "1 extra transfer, -4.00 points" in text
    assert '<span class="chip">New</span>' in text
    assert "New</span>" not in ann.get(page(world), query_string=changed | {"choose": 1}).text


def listed(answer: str) -> list[str]:
    """Names of the footballers on the page of the market, in order."""
    return [
        re.sub(r".*class=\"person\"[^>]*>([^<]*)<.*", r"\1", part, flags=re.DOTALL).strip()
        for part in answer.split('<th scope="row">')[1:]
    ]


def test_the_market_is_searched_filtered_sorted_and_paged(world: World, ann: FlaskClient) -> None:
    for number, club in enumerate(("AYR", "BUR", "CRK", "DOV")):
        db.session.add(
            FootballerTotals(
                season_id=world.season_id,
                rules="soccer",
                footballer_id=f"{club}6",
                position="FWD",
                total_points=1000 * number,
                form=-1000 * number,
                gameweeks={},
            )
        )
    db.session.get_one(FootballerSeason, (world.season_id, "CRK6")).selected = 510
    db.session.commit()

    def names(**query: object) -> list[str]:
        return listed(ann.get(f"{page(world)}/market", query_string=query, headers=HTMX).text)

    assert names(position="FWD") == ["Dov 6", "Crk 6", "Bur 6", "Ayr 6"]
    assert names(position="FWD", sort="form") == ["Ayr 6", "Bur 6", "Crk 6", "Dov 6"]
    assert names(sort="selected")[0] == "Crk 6"
    assert names(sort="price", club="BUR") == ["Bur 6", "Bur 5", "Bur 4", "Bur 3", "Bur 2", "Bur 1"]
    assert names(max="4.5", club="AYR") == ["Ayr 2", "Ayr 1"]
    assert names(q="dOv 3") == ["Dov 3"]
    assert names(q="%") == []
    assert (len(names()), len(names(page=2)), names(page=3)) == (20, 4, [])
    assert names(choose=1) == ["Ayr 1", "Bur 1", "Crk 1", "Dov 1"]


def test_a_price_that_is_none_is_refused_by_name(world: World, ann: FlaskClient) -> None:
    answer = ann.get(f"{page(world)}/market", query_string={"max": "cheap"}, headers=HTMX)
    assert answer.status_code == 422
    assert "should be a number of millions, e.g. 9.5" in answer.text


def test_whoever_is_too_dear_says_by_how_much(world: World, ann: FlaskClient) -> None:
    picks = ("AYR1", "BUR6", "CRK6", "DOV6", "AYR6", "BUR5", "")  # 52.0
    reprice(world.season_id, DOV5=100)
    answer = ann.get(
        f"{page(world)}/market", query_string=draft(world, picks, choose=7, q="Dov 5"), headers=HTMX
    )
    assert "<small>2.0m over</small>" in answer.text


def expected_status(path: str, query: str) -> int:
    """The answer to an address that no link of ours has: numbers in it are never replaced."""
    if "%00" in query or query.startswith(("version=x", "gameweek=x")):
        return 400
    if path == "/market" and query.startswith("page="):
        return 404
    return 422 if "max" in query else 200


def test_no_address_breaks_the_page(world: World, ann: FlaskClient) -> None:
    for query in (
        "p=&p=",
        "p=nobody&p=nobody",
        "p=%00&pick=%00&choose=1",
        "choose=99",
        "choose=x&drop=-1",
        "captain=99&p=AYR1",
        "page=-3",
        "page=99999999999",
        "pick=nobody",
        "pick=nobody&choose=2",
        "sort=luck",
        "version=x&p=",
        "q=%00%25_",
        "max=9999999",
        "gameweek=x",
    ):
        for path in ("", "/market"):
            status = ann.get(f"{page(world)}{path}?{query}").status_code
            assert status == expected_status(path, query), query
    assert ann.get(f"{page(world)}?gameweek=77777").status_code == 200


def test_the_page_asks_the_database_the_same_number_of_times_for_any_market(
    world: World, ann: FlaskClient
) -> None:
    forget_parts(ann)
    with count_statements() as statements:
        ann.get(page(world), query_string=draft(world))
    counted = statements()
    make_world(real=True, first=clock.now() + timedelta(days=2), competition="plate")
    db.session.add(
        League(
            season_id=world.season_id,
            team_rules_id=world.team_rules.id,
            slug="more",
            name="More",
            invite_code="more",
            rules="soccer",
            commissioner_id=1,
        )
    )
    forget_parts(ann)
    with count_statements() as more:
        ann.get(page(world), query_string=draft(world))
    assert more() == counted


def test_the_next_empty_place_goes_round() -> None:
    assert sheet_page.next_empty(("a", "", "b", ""), 2) == 4
    assert sheet_page.next_empty(("a", "", "b", ""), 4) == 2
    assert sheet_page.next_empty(("a", "b"), 1) == 0


def test_positions_to_list_are_the_places_own() -> None:
    nfl = FORMATS["nfl-classic"]
    flex = nfl.places[6]
    nobody = ("",) * len(nfl.places)
    fits = fitting(nfl, nobody, {}, 7)
    assert positions_of("WR", fits, nfl, flex) == ("WR",)
    assert positions_of("QB", fits, nfl, flex) == ("RB", "WR", "TE")
    assert positions_of("", fitting(nfl, nobody, {}, 0), nfl, None) == nfl.positions
    assert sheet_words.position_choices(nfl, 0)[-1] == ("IDP", "Defense")


def test_a_newcomer_starts_from_a_sensible_team_with_one_tap(
    world: World, ann: FlaskClient
) -> None:
    assert "Auto-pick my team" in ann.get(page(world)).text
    answer = ann.get(page(world), query_string={"fill": "1"})
    picks = re.findall(r'name="p" value="([^"]+)"', answer.text)
    assert len(set(picks)) == 7
    captains = dict(re.findall(r'name="(captain|vice_captain)" value="(\d+)"', answer.text))
    assert captains["captain"] != captains["vice_captain"]
    assert "Auto-pick my team" not in answer.text
    assert "Fill empty slots" not in answer.text
    assert rows() == [], "nothing is saved by it"
    token = re.search(r'name="csrf_token" value="([^"]+)"', answer.text)
    form = {
        "p": picks,
        "version": "0",
        "gameweek": str(world.gameweeks[0].id),
        "csrf_token": token[1] if token else "",
    }
    assert ann.post(page(world), data=form | captains).status_code == 303
    [row] = rows()
    assert list(row.picks) == picks


def test_who_is_hurt_or_taken_by_hand_is_respected_by_the_sensible_team(
    world: World, ann: FlaskClient
) -> None:
    db.session.execute(
        update(FootballerSeason)
        .where(FootballerSeason.footballer_id.in_([f"{club}6" for club in CLUBS]))
        .values(status="injured")
    )
    db.session.commit()
    query = {"p": ["", "DOV3", "", "", "", "", ""], "fill": "1"}
    picks = re.findall(r'name="p" value="([^"]+)"', ann.get(page(world), query_string=query).text)
    assert picks[1] == "DOV3"
    assert len(set(picks)) == 7
    assert not any(pick.endswith("6") for pick in picks)


def test_a_market_that_makes_no_team_says_so(world: World, ann: FlaskClient) -> None:
    db.session.execute(update(FootballerSeason).values(price=400))
    db.session.commit()
    text = ann.get(page(world), query_string={"fill": "1"}).text
    assert "pick by hand" in text


def test_transfers_say_who_leaves_for_whom(world: World, ann: FlaskClient) -> None:
    assert ann.post(page(world), data=draft(world)).status_code == 303
    lock(world, clock.now())
    second = {"gameweek": world.gameweeks[1].id, "version": 0, "captain": 2, "vice_captain": 3}
    text = ann.get(page(world), query_string=second | {"p": list(TEAM)}).text
    assert "exchanges-title" not in text
    changed = ["BUR1", *TEAM[1:5], "", TEAM[6]]
    text = ann.get(page(world), query_string=second | {"p": changed}).text
    listed = text[text.index("exchanges-title") :].partition("</ul>")[0]
    sentences = [" ".join(re.sub("<[^>]*>", "", item).split()) for item in listed.split("<li>")[1:]]
    assert sentences == [
        "Out: Ayr 1 → In: Bur 1 brings 4.0, costs 4.0",
        "Out: Bur 2 brings 4.5",
    ]


def captains(answer: TestResponse) -> tuple[str, str]:
    """The captain's and the vice-captain's place in the address that the page takes."""
    query = parse_qs(urlsplit(answer.headers["HX-Replace-Url"]).query)
    return query["captain"][0], query["vice_captain"][0]


def test_a_new_captain_changes_armbands_with_the_vice_captain(
    world: World, ann: FlaskClient
) -> None:
    def act(**fields: int) -> TestResponse:
        return ann.get(page(world), query_string=draft(world, **fields), headers=HTMX)

    answer = act(make_captain=4)
    assert captains(answer) == ("4", "3")
    assert "Dov 3 is captain." in answer.text
    answer = act(make_captain=3)
    assert captains(answer) == ("3", "2")
    assert "Crk 5 is captain, Bur 6 is vice-captain." in answer.text
    assert captains(act(make_vice_captain=2)) == ("3", "2")
    assert 'id="undo"' not in act(make_captain=2).text, "is captain already"


def test_the_list_stays_through_acts_and_a_save(world: World, ann: FlaskClient) -> None:
    assert "is-list" not in ann.get(page(world)).text
    listed = ann.get(page(world), query_string=draft(world, view="list", drop=3), headers=HTMX)
    assert "is-list" in listed.text
    assert parse_qs(urlsplit(listed.headers["HX-Replace-Url"]).query)["view"] == ["list"]
    saved = ann.post(page(world), data=draft(world, view="list"))
    assert "is-list" in ann.get(saved.location).text
    # a button sends its view after that of the page
    tiles = ann.get(page(world), query_string=draft(world, view=["list", "tiles"]))
    assert "is-list" not in tiles.text


def test_the_bar_says_what_the_team_is_expected_to_have(world: World, ann: FlaskClient) -> None:
    """Everybody plays on average; the captain counts twice and the substitutes do not."""
    text = " ".join(
        re.sub("<[^>]*>", " ", ann.get(page(world), query_string=draft(world)).text).split()
    )
    tiles = [float(points) for points in re.findall(r"projected ([\d.]+)", text)]
    [total] = re.findall(r"proj\. ([\d.]+)", text)
    assert float(total) == pytest.approx(sum(tiles[:5]) + tiles[CAPTAINS[0] - 1], abs=0.3)
    assert "proj. " not in ann.get(page(world), query_string=draft(world, captain=0)).text

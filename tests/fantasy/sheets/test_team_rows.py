"""The rows of the team: swaps, undoing them and the last save, what is locked, points so far."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from app.core import clock
from app.core.db import db
from app.fantasy.market.models import SheetDeadline
from app.fantasy.scoring.models import PlayerPoints
from app.fantasy.sheets import services as sheets
from app.record.models import Game
from tests.fantasy.sheets.test_sheet_views import HTMX, draft, drafted, lock, page
from tests.worlds.team_sheets import TEAM, World, make_world, reprice, rows, team, with_change


def row(text: str, place: int) -> str:
    """The row of a place, as it is in the page."""
    return text.split(f'id="place-{place}"')[1].split("</li>")[0]


def words(row: str) -> str:
    """What a row says."""
    return " ".join(re.sub("<[^>]*>", " ", row).split())


def test_two_places_are_swapped_and_the_swap_is_undone(world: World, ann: FlaskClient) -> None:
    swapped = ann.get(page(world), query_string=draft(world, swap="2-6"), headers=HTMX)
    assert drafted(swapped) == ["AYR1", "BUR2", "CRK5", "DOV3", "AYR4", "BUR6", "CRK3"]
    assert "Swapped Bur 6 and Bur 2." in swapped.text
    back = re.search(r'id="undo"\s+href="(.*?)"', swapped.text)
    assert back is not None
    undone = ann.get(html.unescape(back[1]), headers=HTMX)
    assert drafted(undone) == list(TEAM)
    assert "Swapped" not in undone.text


@pytest.mark.parametrize("swap", ["1-9", "0-2", "2", "2-3-4", "x-y", "", "3-3"])
def test_a_swap_that_is_none_changes_nothing(world: World, ann: FlaskClient, swap: str) -> None:
    answer = ann.get(page(world), query_string=draft(world, swap=swap), headers=HTMX)
    assert drafted(answer) == list(TEAM)
    assert 'id="undo"' not in answer.text


def test_a_row_says_with_whom_it_can_be_swapped(world: World, ann: FlaskClient) -> None:
    text = ann.get(page(world), query_string=draft(world)).text
    assert 'data-swaps="3 4 5 6 7"' in row(text, 2), "outfield players"
    assert "data-swaps" not in row(text, 1), "nobody else is a goalkeeper"
    chosen = ann.get(page(world), query_string=draft(world, choose=6), headers=HTMX).text
    offers = re.findall(r'name="swap"\s+value="(6-\d)"', chosen)
    assert offers == ["6-2", "6-3", "6-4", "6-5", "6-7"]


def test_a_pick_and_a_place_that_is_emptied_are_undone_too(world: World, ann: FlaskClient) -> None:
    picked = ann.get(page(world), query_string=draft(world, choose=7, pick="DOV5"), headers=HTMX)
    assert "Dov 5 in for Crk 3." in picked.text
    dropped = ann.get(page(world), query_string=draft(world, drop=3), headers=HTMX)
    assert "Crk 5 removed." in dropped.text


def test_a_save_is_undone_before_the_deadline(world: World, ann: FlaskClient) -> None:
    ann.post(page(world), data=draft(world))
    assert "Undo this save" not in ann.get(f"{page(world)}?saved=1").text, "there was no team"
    changed = with_change("CRK3", "CRK2")
    saved = ann.post(page(world), data=draft(world, changed, version=1))
    text = ann.get(saved.location).text
    address = re.search(r'formaction="([^"]*/undo\?[^"]*)"', text)
    assert address is not None
    form = {"gameweek": world.gameweeks[0].id}
    undone = ann.post(html.unescape(address[1]), data=form)
    assert undone.location == f"{page(world)}?saved=3"
    [sheet] = rows()
    assert (tuple(sheet.picks), sheet.captain, sheet.version) == (TEAM, 2, 3)
    again = ann.post(html.unescape(address[1]), data=form)
    assert again.location == undone.location, "a second click is the same save"


def test_a_save_is_not_undone_after_the_deadline_or_over_a_newer_one(
    world: World, ann: FlaskClient
) -> None:
    ann.post(page(world), data=draft(world))
    saved = ann.post(page(world), data=draft(world, with_change("CRK3", "CRK2"), version=1))
    address = saved.location.replace("?", "/undo?")
    form = {"gameweek": world.gameweeks[0].id}
    ann.post(page(world), data=draft(world, with_change("CRK3", "CRK4"), version=2))
    newer = ann.post(address, data=form)
    assert newer.status_code == 422
    assert "changed elsewhere" in newer.text
    lock(world, clock.now())
    late = ann.post(address, data=form)
    assert late.status_code == 422
    assert "Your last saved team counts" in late.text
    assert rows()[0].version == 3


def test_who_plays_is_locked_with_points_so_far(sign_in: object, member: object) -> None:
    ann = member("ann")  # type: ignore[operator]
    world = make_world(real=True, lock="game", first=clock.now() + timedelta(hours=1))
    gameweek = world.gameweeks[0]
    saved = sheets.save(ann.id, world.team_rules.id, gameweek.id, team(), clock.now())
    assert isinstance(saved, sheets.Saved)
    db.session.get_one(Game, "cup-1-AYR").kickoff = clock.now() - timedelta(minutes=5)
    db.session.add(PlayerPoints(game_id="cup-1-AYR", player_id="AYR1", rules="soccer", points=4500))
    db.session.commit()
    text = sign_in(username="ann").get(page(world)).text  # type: ignore[operator]
    keeper = row(text, 1)
    assert "is-locked" in keeper
    assert "Locked" in keeper
    assert "4.50 so far proj" in words(keeper)
    assert "<button" not in keeper
    assert '/footballers/AYR1?league=cup-overall"' in keeper
    assert "0.00 so far" in words(row(text, 2)), "plays, and has done nothing yet"
    assert "so far" not in row(text, 3), "plays tomorrow"
    assert 'data-swaps="4 7"' in row(text, 3), "only with who is not locked"


def test_a_draft_from_before_a_kickoff_can_still_be_saved(sign_in: object, member: object) -> None:
    """Ann swaps two midfielders and takes another defender; then one of the two kicks off."""
    ann_id = member("ann").id  # type: ignore[operator]
    world = make_world(real=True, lock="game", first=clock.now() + timedelta(hours=1))
    gameweek = world.gameweeks[0]
    saved = sheets.save(ann_id, world.team_rules.id, gameweek.id, team(), clock.now())
    assert isinstance(saved, sheets.Saved)
    changed = ("AYR1", "BUR6", "AYR4", "DOV3", "CRK5", "BUR2", "CRK2")
    form = draft(world, changed, version=1)
    db.session.get_one(Game, "cup-1-AYR").kickoff = clock.now() - timedelta(minutes=5)
    db.session.commit()
    ann = sign_in(username="ann")  # type: ignore[operator]

    reopened = ann.get(page(world), query_string=form, headers=HTMX)
    refused = ann.post(page(world), data=form, headers=HTMX)
    assert (reopened.status_code, refused.status_code) == (200, 422)
    for answer in (reopened, refused):
        assert "Ayr 4&#39;s game has started" in answer.text
        assert "back where you saved them" in words(answer.text)
        assert "Your other changes are here, but not saved yet." in words(answer.text)
        assert "has-fault" not in answer.text
        assert 'name="p" value="CRK2"' in answer.text
    assert "problems to fix" not in words(refused.text)

    left = re.findall(r'name="p" value="(\w+)"', refused.text)
    assert left == ["AYR1", "BUR6", "CRK5", "DOV3", "AYR4", "BUR2", "CRK2"]
    assert ann.post(page(world), data=draft(world, tuple(left), version=1)).status_code == 303
    assert rows()[0].picks == left


def test_the_picker_of_the_last_place_lists_who_can_be_paid(world: World, ann: FlaskClient) -> None:
    reprice(world.season_id, DOV5=300, BUR5=221)
    chosen = ann.get(page(world), query_string=draft(world, choose=7), headers=HTMX).text
    assert 'name="affordable" value="1" checked' in chosen
    assert ">Dov 5<" not in chosen, "costs 30.0, and 22.0 are there"
    assert ">Bur 5<" not in chosen, "costs 22.1"
    everybody = ann.get(
        f"{page(world)}/market", query_string=draft(world, choose=7), headers=HTMX
    ).text
    assert ">Dov 5<" in everybody
    two_empty = (*TEAM[:5], "", "")
    first = ann.get(page(world), query_string=draft(world, two_empty, choose=7), headers=HTMX)
    assert 'name="affordable" value="1" checked' not in first.text


def test_the_page_says_what_time_the_server_has(world: World, ann: FlaskClient) -> None:
    deadline = db.session.get_one(SheetDeadline, (world.team_rules.id, world.gameweeks[0].id))
    text = ann.get(page(world)).text
    written = re.search(r'data-now="(\d+)"', text)
    assert written is not None
    left = clock.to_ms(deadline.locks_at) - int(written[1])
    assert 0 < left <= 1000 * 3600 * 51.2

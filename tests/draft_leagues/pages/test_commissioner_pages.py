"""Pages on which a commissioner acts for others, takes acts back, and corrects line-ups."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.franchises.services import co_commissioners
from app.fantasy.rosters.models import Franchise
from app.fantasy.rosters.queries import names_of, rosters_of, transactions_of
from app.fantasy.rosters.rules import Place
from tests.draft_leagues.test_corrected_lineups import RUNNER, benched, correction
from tests.worlds.draft_leagues import DRAFTED, DraftWorld

__all__ = ["benched"]


@pytest.fixture(autouse=True)
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages are read nine days after the draft, when the first gameweek is over."""
    for module in ("commissioner_views", "commissioner_acts"):
        monkeypatch.setattr(
            f"app.draft_leagues.pages.{module}.now", lambda: DRAFTED + timedelta(days=9)
        )


@pytest.fixture
def ann(drafted: DraftWorld, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def address(world: DraftWorld, path: str = "") -> str:
    return f"/leagues/{world.league.slug}/commissioner{path}"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/line-up/{}/1"),
        ("POST", "/line-up/{}/1"),
        ("POST", "/lock/{}"),
        ("POST", "/owner/{}"),
    ],
)
@pytest.mark.parametrize("number", [0, 99, 2**31, 2**63 - 1])
def test_a_number_without_a_team_is_a_page_that_does_not_exist(
    ann: FlaskClient, drafted: DraftWorld, method: str, path: str, number: int
) -> None:
    answer = ann.open(address(drafted, path.format(number)), method=method)
    assert (answer.status_code, "Page not found" in answer.text) == (404, True)


def test_a_move_is_previewed_made_with_a_reason_and_taken_back(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    who = drafted.lineup(3)[0]
    name = names_of([who])[who]
    moves = {"who1": who, "to1": "2-active"}
    preview = ann.get(address(drafted, "/moves"), query_string=moves).text
    assert f"Bob FC gets {name} from Cat FC." in preview
    assert "Bob FC after these moves" in preview
    assert rosters_of(drafted.league.id).places[who] == Place(3)
    refused = ann.post(address(drafted, "/moves"), data=moves | {"reason": " "})
    assert refused.status_code == 422
    assert "Give a reason. Everyone in the league sees it." in refused.text
    done = ann.post(address(drafted, "/moves"), data=moves | {"reason": "Cat is at sea"})
    assert done.status_code == 303
    assert rosters_of(drafted.league.id).places[who] == Place(2)
    page = ann.get(done.location).text
    assert "Cat is at sea" in page

    number = transactions_of(drafted.league.id)[-1].number
    assert (
        f"Bob FC gets {name} from Cat FC." in ann.get(address(drafted, f"/reverse/{number}")).text
    )
    ann.post(address(drafted, f"/reverse/{number}"), data={"reason": "She is back"})
    assert rosters_of(drafted.league.id).places[who] == Place(3)
    assert "Reversed by" in ann.get(f"/leagues/{drafted.league.slug}/transactions").text
    back = ann.get(address(drafted, f"/reverse/{number + 1}"))
    assert 'name="reason"' in back.text  # a reversal can be taken back too


def test_only_the_first_page_of_the_settings_begins_with_their_list_on_a_phone(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    assert "has-list" in ann.get(address(drafted)).text
    for path in ("/moves", "/line-up/1/1", "/reverse/1"):
        page = ann.get(address(drafted, path)).text
        assert 'id="part"' in page
        assert "has-list" not in page
        assert "All settings" in page


def test_a_later_act_is_taken_back_first(ann: FlaskClient, drafted: DraftWorld) -> None:
    first, *_ = transactions_of(drafted.league.id)
    who = first.transaction.moves[0].footballer_id
    ann.post(
        address(drafted, "/moves"), data={"who1": who, "to1": "free", "reason": "Wrong player"}
    )
    refused = ann.post(address(drafted, f"/reverse/{first.number}"), data={"reason": "Again"})
    assert refused.status_code == 422
    assert "is now a free agent" in refused.text


def test_free_agents_are_found_and_rosters_may_not_overflow(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    who = drafted.free("K")[0]
    name = names_of([who])[who]
    page = ann.get(address(drafted, "/moves"), query_string={"q": name}).text
    assert f'<option value="{who}">{name}</option>' in page
    full = ann.get(
        address(drafted, "/moves"),
        query_string={f"who{n}": drafted.lineup(3)[n] for n in (1, 2, 3)}
        | {f"to{n}": "2-reserve" for n in (1, 2, 3)},
    )
    assert full.status_code == 422
    assert "on injured reserve. The limit is 1:" in full.text


@pytest.mark.parametrize(
    ("path", "key"), [("/lock/2", "lock-2"), ("/owner/3", "owner-3"), ("/co-commissioners", "co")]
)
def test_a_missing_reason_is_shown_at_the_form_that_was_sent(
    ann: FlaskClient, drafted: DraftWorld, path: str, key: str
) -> None:
    refused = ann.post(address(drafted, path), data={"locked": "1", "reason": " "})
    assert refused.status_code == 422
    assert re.findall(r'id="([\w-]+)-fault">([^<]+)', refused.text) == [
        (f"{key}-reason", "Give a reason. Everyone in the league sees it.")
    ]
    assert f'aria-describedby="{key}-reason-hint {key}-reason-fault"' in refused.text


def test_teams_are_locked_and_get_other_owners(ann: FlaskClient, drafted: DraftWorld) -> None:
    ann.post(address(drafted, "/lock/2"), data={"locked": "1", "reason": "Idle"})
    bob = db.session.get_one(Franchise, (drafted.league.id, 2))
    assert bob.is_locked
    ann.post(address(drafted, "/lock/2"), data={"locked": "0", "reason": "Back"})
    db.session.refresh(bob)
    assert not bob.is_locked
    assert "Find an owner" not in ann.get(address(drafted)).text
    ann.post(address(drafted, "/owner/3"), data={"reason": "Gone"})
    page = ann.get(address(drafted)).text
    assert "Needs an owner" in page
    assert drafted.league.invite_code in page
    refused = ann.post(address(drafted, "/owner/1"), data={"reason": "Gone"})
    assert "Transfer ownership first" in refused.text


def test_co_commissioners_do_all_but_choose_others(
    ann: FlaskClient, drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    bob = sign_in(username="bob")
    assert bob.get(address(drafted)).status_code == 403
    bob_id = drafted.members[1]
    ann.post(
        address(drafted, "/co-commissioners"), data={"member": [str(bob_id)], "reason": "I am away"}
    )
    assert co_commissioners(drafted.league.id) == [bob_id]
    assert "Co-commissioners" not in bob.get(address(drafted)).text
    assert bob.post(address(drafted, "/co-commissioners")).status_code == 403
    assert (
        bob.post(address(drafted, "/lock/4"), data={"locked": "1", "reason": "Idle"}).status_code
        == 303
    )


def test_a_stored_lineup_is_corrected_after_a_preview(
    ann: FlaskClient, drafted: DraftWorld, benched: str
) -> None:
    path = address(drafted, "/line-up/1/1")
    assert f'<option value="{benched}">' in ann.get(path).text
    starters = list(correction(drafted, benched).starters)
    preview = ann.get(path, query_string={"starter": starters}).text
    assert f"{names_of([benched])[benched]} starts." in preview
    assert "<strong>10.00</strong> points instead of 0.00" in preview
    assert "0–1 →" in preview
    assert drafted.lineup(1)[RUNNER] == ""
    [version] = re.findall(r'name="version" value="(\d+)"', preview)
    form = {"starter": starters, "version": version}
    assert ann.post(path, data=form | {"reason": ""}).status_code == 422
    assert ann.post(path, data=form | {"reason": "She asked in time"}).status_code == 303
    assert drafted.lineup(1)[RUNNER] == benched
    assert "She asked in time" in ann.get(f"/leagues/{drafted.league.slug}/transactions").text
    assert ann.get(address(drafted, "/line-up/1/4")).status_code == 404


def test_members_are_told_who_may_do_it_and_others_find_nothing(
    drafted: DraftWorld, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    member("eve")
    for username, status, title in (
        ("bob", 403, "Only the commissioner can do this"),
        ("eve", 404, "Page not found"),
    ):
        client = sign_in(username=username)
        for path in ("", "/moves", "/reverse/1", "/line-up/1/1"):
            answer = client.get(address(drafted, path))
            assert (answer.status_code, title in answer.text) == (status, True)
        for path in ("/lock/2", "/owner/2", "/co-commissioners", "/moves", "/reverse/1"):
            assert client.post(address(drafted, path)).status_code == status

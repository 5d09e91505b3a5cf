"""The page of transactions: the whole log, its filters, and links to what belongs together."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.pages import transaction_views
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import Move, Transaction
from tests.worlds.draft_leagues import DRAFTED, DraftWorld, make_draft_league


@pytest.fixture
def ann(drafted: DraftWorld, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def address(world: DraftWorld, path: str = "") -> str:
    return f"/leagues/{world.league.slug}/transactions{path}"


def numbers(page: str) -> list[int]:
    return [int(each) for each in re.findall(r'<li id="transaction-(\d+)"', page)]


def moved_and_taken_back(world: DraftWorld) -> tuple[int, int, str]:
    """Ann gives Bob somebody of Cat's, and takes it back."""
    who = next(iter(rosters_of(world.league.id).of(3)))
    ann = world.members[0]
    number = commissioner.act(
        world.league.id,
        [Move(who, 3, 2)],
        by_member_id=ann,
        reason="Cat is at sea",
        now=DRAFTED,
    )
    assert isinstance(number, int)
    back = commissioner.reverse(
        world.league.id, number, by_member_id=ann, reason="She is back", now=DRAFTED
    )
    assert isinstance(back, int)
    return number, back, names_of([who])[who]


def test_every_transaction_is_there_with_who_when_and_why(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    kicker = Move(drafted.free("K")[0], None, 1)
    drafted.record(Transaction("drafted", (kicker,), reason="Round 7, pick 25"), now=DRAFTED)
    number, back, name = moved_and_taken_back(drafted)
    page = ann.get(address(drafted)).text
    assert numbers(page) == [*range(back, 0, -1)]
    [latest, before, *_] = page.split('<li id="transaction-')[1:]
    words = " ".join(re.sub("<[^>]*>", " ", latest + before).split())
    assert f"Cat FC gets {name} from Bob FC." in words
    assert f"Bob FC gets {name} from Cat FC." in words
    assert "By Ann. “She is back”" in words
    assert "By Ann. “Cat is at sea”" in words
    assert f"Reverses transaction {number}" in words
    assert f"Reversed by transaction {back}" in words
    assert "Automatic" in page
    assert "Round 7, pick 25" in page
    assert page.count('datetime="') >= back
    assert latest.count('class="player-tile') == 1, "beside whom it moves"
    tile, _, sentence = latest.partition("</small></span>")
    assert 'class="player-tile' in tile
    assert f"Cat FC gets {name}" in re.sub("[\u2066-\u2069]|<[^>]*>", "", sentence)


def test_an_entry_of_one_team_has_its_name_once_and_a_sign_for_each_move(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    free, leaving = drafted.free("K")[0], next(iter(rosters_of(drafted.league.id).of(1)))
    swap = Transaction("added", (Move(free, None, 1), Move(leaving, 1, None)))
    drafted.record(swap, now=DRAFTED)
    latest = ann.get(address(drafted)).text.split('<li id="transaction-')[1].partition("</li>")[0]
    words = " ".join(re.sub("[\u2066-\u2069]|<[^>]*>", " ", latest).split())
    names = names_of([free, leaving])
    assert words.count("Ann FC") == 1 + words.count("Reverse : Ann FC")
    assert f"+ Added: {names[free]}" in words
    assert f"− Dropped: {names[leaving]}" in words


def test_the_log_is_filtered_by_kind_and_team(ann: FlaskClient, drafted: DraftWorld) -> None:
    number, back, _ = moved_and_taken_back(drafted)
    assert numbers(ann.get(address(drafted, "?kind=commissioner")).text) == [number]
    of_dan = numbers(ann.get(address(drafted, "?team=4")).text)
    assert len(of_dan) == 6
    assert not {number, back} & {*of_dan}
    nothing = ann.get(address(drafted, "?kind=traded&team=4"))
    assert "No matching transactions" in nothing.text
    for odd in ("?kind=odd", "?team=99", "?team=x"):
        assert ann.get(address(drafted, odd)).status_code == 404


def test_the_log_is_paged_and_each_entry_has_an_address(
    ann: FlaskClient, drafted: DraftWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction_views, "PAGE_ROWS", 10)
    first = ann.get(address(drafted)).text
    last = numbers(first)[0]
    second = ann.get(address(drafted, "?page=2")).text
    assert numbers(first) + numbers(second) == [*range(last, last - 20, -1)]
    assert 'rel="prev"' in second
    assert ann.get(address(drafted, "?page=99")).status_code == 404
    place = ann.get(address(drafted, f"/{last - 12}"))
    assert place.location == address(drafted, f"?page=2#transaction-{last - 12}")
    for missing in (0, last + 1):
        assert ann.get(address(drafted, f"/{missing}")).status_code == 404


def test_only_a_commissioner_is_led_to_reversals(
    ann: FlaskClient, drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    number, back, _ = moved_and_taken_back(drafted)
    reversal = f"/leagues/{drafted.league.slug}/commissioner/reverse/"
    page = ann.get(address(drafted)).text
    assert f'{reversal}1"' in page
    assert f"{reversal}{number}" not in page  # it has been taken back
    assert f"{reversal}{back}" in page  # a reversal can be taken back too
    assert reversal not in sign_in(username="bob").get(address(drafted)).text


def test_nothing_has_moved_before_the_draft(
    app: object, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    world = make_draft_league(member)
    page = sign_in(username="ann").get(address(world)).text
    assert "No transactions yet" in page
    member("eve")
    eve = sign_in(username="eve")
    assert eve.get(address(world)).status_code == 404
    assert eve.get(address(world, "/1")).status_code == 404

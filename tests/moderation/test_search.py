"""Moderators find every account.

By name, display name, address fingerprint and id, whatever it has done so far.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update

from app.accounts.models import Member, MemberSession, Player
from app.boards.models import Mode
from app.core import clock
from app.core.db import db
from app.moderation.search import search
from app.scores.events import fingerprint
from tests.worlds.callers import make_callers
from tests.worlds.score_log import Log, score_event

SignIn = Callable[..., FlaskClient]


def names(term: str, limit: int = 25) -> list[str]:
    return [account.name for account in search(term, limit).accounts]


@pytest.fixture
def eve(member: Callable[..., Member]) -> Member:
    """A member who never used a board: there is no row of them in `players`."""
    eve = member("eve-11187")
    eve.display_name = "Evelyn Moss"
    now = clock.now()
    session = {
        "begun_at": now,
        "used_at": now,
        "verified_at": now,
        "ends_at": now + timedelta(days=1),
    }
    db.session.add(
        MemberSession(
            id="s", member_id=eve.id, address="203.0.113.9", browser="b", device="d", **session
        )
    )
    db.session.commit()
    assert db.session.scalar(select(Player).where(Player.member_id == eve.id)) is None
    return eve


@pytest.mark.parametrize(
    "term", ["eve-11187", "EVE-1", "evelyn moss", "Moss", "{id}", "203.0.113.9", "{print}"]
)
def test_a_member_who_never_used_a_board_is_found(app: Flask, eve: Member, term: str) -> None:
    """Before, the search read `players`, whose rows are made at first use."""
    print_of_eve = fingerprint(app.config["SECRET_KEY"], "address", "203.0.113.9")
    assert names(term.format(id=eve.id, print=print_of_eve)) == ["Evelyn Moss"]


@pytest.mark.parametrize(
    "term", ["Evélyn  Moss", " evélyn\u00a0moss ", "EVE\u0301LYN MOSS", "ÉLYN"]
)
def test_a_name_is_found_however_it_was_typed_or_copied(app: Flask, eve: Member, term: str) -> None:
    """Stored names are composed and single-spaced (UAX 15, NFC), so a search is normalised too."""
    eve.display_name = "Evélyn Moss"
    db.session.commit()
    assert names(term) == ["Evélyn Moss"]


@pytest.mark.parametrize("term", ["2001:DB8::9", "2001:0db8:0:0:0:0:0:9", "2001:db8::9"])
def test_an_address_is_found_in_every_spelling(app: Flask, eve: Member, term: str) -> None:
    """RFC 5952, section 1.

    One IPv6 address has many spellings, and operators copy them from many logs.
    """
    db.session.execute(update(MemberSession).values(address="2001:db8::9"))
    db.session.commit()
    assert names(term) == ["Evelyn Moss"]


def test_an_address_of_ipv4_is_found_as_a_socket_of_ipv6_spells_it(app: Flask, eve: Member) -> None:
    """RFC 4291, 2.5.5.2: ::ffff:203.0.113.9 is 203.0.113.9."""
    assert names("::ffff:203.0.113.9") == ["Evelyn Moss"]


def test_a_member_who_never_used_a_board_is_inspected_and_banned(
    eve: Member, sign_in: SignIn
) -> None:
    moderator = sign_in("moderator")
    link = f"/moderation/members/{eve.id}"
    assert link in moderator.get("/moderation/players?q=moss").text
    page = moderator.get(link).location
    text = moderator.get(page).text
    assert "Evelyn Moss" in text
    assert "Seen at these addresses" in text
    assert (
        moderator.post(f"{page}/sanction", data={"kind": "ban", "reason": "a bot"}).status_code
        == 303
    )
    assert db.session.get_one(Member, eve.id, populate_existing=True).banned_at is not None
    assert moderator.get("/moderation/members/999999").status_code == 404


def test_an_integrators_player_is_found_by_each_of_its_ids_and_its_address(
    app: Flask, member: Callable[..., Member]
) -> None:
    callers = make_callers(app, member("owner"))
    zed = callers.register("u-4711", "Zed")
    log = Log()
    prints = {"address": "ab" * 16, "device": "cd" * 16}
    log.put(score_event(callers.mode, zed, 5, **prints))
    log.consume()
    assert [names(term) for term in ("u-4711", "zed", str(zed), *prints.values())] == [["Zed"]] * 5
    (account,) = search("u-4711", 9).accounts
    assert (account.integrator, account.external_id, account.username) == (
        "Dice House",
        "u-4711",
        None,
    )


def test_exact_matches_come_first_and_the_page_says_that_there_are_more(
    sign_in: SignIn, member: Callable[..., Member]
) -> None:
    for number in range(30):
        member(f"anna{number}")
    member("ann")
    assert names("ann", 3)[0] == db.session.scalar(
        select(Member.display_name).where(Member.username == "ann")
    )
    assert "First 25 results" in sign_in("moderator").get("/moderation/players?q=ann").text


@pytest.mark.parametrize(
    "term", ["%", "_", "\\", "99999999999999999999", "00000000-0000-0000-0000-000000000000"]
)
def test_what_nobody_is_called_finds_nobody(
    make_mode: Callable[..., Mode], eve: Member, term: str
) -> None:
    assert names(term) == []

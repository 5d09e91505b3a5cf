"""The picture or crest beside a name: chosen, shown, removed, and never of minors."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image
from sqlalchemy import select

from app.accounts import minors
from app.accounts.member_pictures import MEMBER_PICTURES
from app.accounts.models import Member, Player
from app.accounts.players import player_of
from app.audit.models import AuditEntry
from app.core import clock
from app.core.blob_store import blob_store
from app.core.db import db
from app.moderation import naming, privacy

SignIn = Callable[..., FlaskClient]


def picture_file(colour: str = "red") -> bytes:
    file = BytesIO()
    Image.new("RGB", (300, 200), colour).save(file, "PNG")
    return file.getvalue()


@pytest.fixture(autouse=True)
def _no_picture_of_another_test(app: Flask) -> None:
    for name in stored_pictures():
        blob_store().delete(name)


@pytest.fixture
def ann(sign_in: SignIn) -> FlaskClient:
    return sign_in(username="ann")


@pytest.fixture
def member_ann(ann: FlaskClient) -> Member:
    return db.session.scalars(select(Member).where(Member.username == "ann")).one()


def test_a_picture_that_is_refused_is_said_where_the_member_looks(ann: FlaskClient) -> None:
    page = send(ann, picture_file()[:60])
    assert "The picture cannot be read. The file may be damaged or incomplete." in page
    [focused] = [tag for tag in page.split("<") if "autofocus" in tag]
    assert 'name="picture"' in focused


def send(client: FlaskClient, data: bytes, name: str = "me.png") -> str:
    sent = {"picture": (BytesIO(data), name)}
    return client.post("/account/picture", data=sent, follow_redirects=True).text


def shown_types(app: Flask, member: Member) -> set[str]:
    """What a visitor gets by the member's number and by their player's id."""
    db.session.expire_all()
    client = app.test_client()
    addresses = (f"/gamers/{member.id}/picture", f"/players/{player_of(member).id}/picture")
    return {str(client.get(address).content_type) for address in addresses}


def stored_pictures() -> list[str]:
    return blob_store().names(MEMBER_PICTURES.folder)


def test_everybody_has_a_crest_of_their_own_that_stays_the_same(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann, bob = member("ann"), member("bob")
    client = app.test_client()
    of_ann = client.get(f"/gamers/{ann.id}/picture")
    assert of_ann.content_type == "image/svg+xml"
    assert client.get(f"/players/{player_of(ann).id}/picture").data == of_ann.data
    assert client.get(f"/gamers/{bob.id}/picture").data != of_ann.data
    assert of_ann.cache_control.public
    assert of_ann.cache_control.max_age == 300
    again = client.get(
        f"/gamers/{ann.id}/picture", headers={"If-None-Match": of_ann.headers["ETag"]}
    )
    assert (again.status_code, again.data) == (304, b"")


def test_a_chosen_picture_is_encoded_anew_and_small_and_replaces_the_last_one(
    app: Flask, ann: FlaskClient, member_ann: Member
) -> None:
    assert "Picture saved." in send(ann, picture_file())
    assert shown_types(app, member_ann) == {"image/webp"}
    first = app.test_client().get(f"/gamers/{member_ann.id}/picture")
    with Image.open(BytesIO(first.data)) as stored:
        assert (stored.format, stored.size) == ("WEBP", (96, 96))
    send(ann, picture_file("blue"))
    second = app.test_client().get(f"/gamers/{member_ann.id}/picture")
    assert second.data != first.data
    assert len(stored_pictures()) == 1
    ann.post("/account/picture/remove")
    assert shown_types(app, member_ann) == {"image/svg+xml"}
    assert stored_pictures() == []


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "Choose a picture."),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PNG, JPEG or WebP"),
        (b"\x89PNG\r\n\x1a\nbroken", "cannot be read"),
    ],
)
def test_what_is_no_picture_is_refused_beside_the_field(
    app: Flask, ann: FlaskClient, member_ann: Member, data: bytes, fault: str
) -> None:
    page = send(ann, data, "me.png" if data else "")
    refusal = page.partition('id="picture-fault">')[2].partition("</p>")[0]
    assert fault in refusal
    assert shown_types(app, member_ann) == {"image/svg+xml"}
    assert stored_pictures() == []


def test_minors_and_the_banned_have_their_crest_only(
    app: Flask, ann: FlaskClient, member_ann: Member
) -> None:
    send(ann, picture_file())
    now = clock.now()
    minors.set_birth_year(member_ann, now.year - 12, now)
    assert shown_types(app, member_ann) == {"image/svg+xml"}
    minors.set_birth_year(member_ann, None, now)
    assert shown_types(app, member_ann) == {"image/webp"}
    for field, moment in (("banned_at", now), ("suspended_until", now + timedelta(days=1))):
        setattr(member_ann, field, moment)
        db.session.commit()
        assert shown_types(app, member_ann) == {"image/svg+xml"}
        setattr(member_ann, field, None)
        db.session.commit()


def test_a_moderator_removes_a_picture_with_a_reason(
    app: Flask, ann: FlaskClient, member_ann: Member, sign_in: SignIn
) -> None:
    send(ann, picture_file())
    player = player_of(member_ann).id
    moderator = sign_in("moderator")
    page = f"/moderation/players/{player}"
    assert "Remove picture" in moderator.get(page).text
    moderator.post(f"{page}/picture/remove", data={"reason": "rude"})
    assert shown_types(app, member_ann) == {"image/svg+xml"}
    assert stored_pictures() == []
    newest = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc())).first()
    assert newest is not None
    assert (newest.act, newest.reason) == ("player.picture_removed", "rude")
    assert "Remove picture" not in moderator.get(page).text


def test_the_picture_is_erased_with_the_account(
    app: Flask, ann: FlaskClient, member_ann: Member
) -> None:
    send(ann, picture_file())
    privacy.erase(member_ann.id, by=member_ann.id, reason="asked", now=clock.now())
    assert shown_types(app, member_ann) == {"image/svg+xml"}
    assert stored_pictures() == []


def test_a_picture_that_a_killed_process_left_is_deleted_after_an_hour(
    ann: FlaskClient, member_ann: Member
) -> None:
    send(ann, picture_file())
    now = clock.now()
    blob_store().put(f"members/{clock.to_ms(now)}-{0:032}", picture_file())
    assert MEMBER_PICTURES.sweep(now) == 0
    assert MEMBER_PICTURES.sweep(now + timedelta(hours=2)) == 1
    db.session.expire_all()
    assert [name.rpartition("/")[2] for name in stored_pictures()] == [member_ann.picture]


def test_a_member_without_a_picture_has_none_to_remove(member: Callable[..., Member]) -> None:
    bob = player_of(member("bob")).id
    refusal = naming.remove_picture(bob, by=member("meg", "moderator").id, reason="rude")
    assert not isinstance(refusal, Player)
    assert refusal.code == "no_picture"

"""News about players: written by moderators, read by everybody, replaced by a newer roster."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.audit.models import AuditEntry
from app.core import clock
from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.market import player_notes
from app.fantasy.market.models import FootballerSeason, PlayerNote, Season
from app.fantasy.market.player_notes import NewNote
from app.fantasy.season_setup.start import OnMarket, put_on_market
from tests.worlds.footballers import make_footballers

SignIn = Callable[..., FlaskClient]
HURT = NewNote("Hurt his ankle in practice.", "https://club.example/news", "doubtful")


@pytest.fixture
def season(app: Flask) -> Season:
    return make_footballers()


@pytest.fixture
def moderator(member: Callable[..., Member]) -> Member:
    return member("meg", role="moderator")


def write(season: Season, by: Member, note: NewNote = HURT) -> PlayerNote:
    done = player_notes.write_note(season.id, "H2", note, by=by.id, now=clock.now())
    assert isinstance(done, PlayerNote), done
    return done


def word(season: Season) -> tuple[str, str]:
    market = db.session.get_one(FootballerSeason, (season.id, "H2"), populate_existing=True)
    return market.status, market.news


def test_a_moderator_writes_news_and_everybody_reads_it(
    client: FlaskClient, sign_in: SignIn, season: Season
) -> None:
    meg = sign_in("moderator", username="meg")
    assert "H. Player2" in meg.get("/moderation/news?q=player2").text
    written = meg.post(
        "/moderation/news/H2",
        data={"text": HURT.text, "source_url": HURT.source_url, "status": HURT.status},
        follow_redirects=True,
    )
    assert "News published on the player&#39;s page." in written.text
    page = client.get("/footballers/H2").text
    assert page.count(HURT.text) == 1
    assert 'href="https://club.example/news" rel="noopener nofollow ugc">club.example</a>' in page
    assert "Doubtful" in page
    assert "Write news" not in page
    assert "meg" not in page.lower(), "who wrote it is for moderators"
    assert "Doubtful" in client.get("/players").text
    entry = db.session.scalars(select(AuditEntry).where(AuditEntry.act == "news.written")).one()
    assert entry.subject == "footballer:H2"
    assert "wrote news about the player H2" in meg.get("/moderation/audit").text


def test_news_needs_words_and_a_real_source(
    sign_in: SignIn, season: Season, moderator: Member
) -> None:
    for note, field in (
        (NewNote("  "), "text"),
        (NewNote("x" * 501), "text"),
        (NewNote("Out.", status="left"), "status"),
        (NewNote("Out.", "javascript:alert(1)"), "source_url"),
    ):
        done = player_notes.write_note(season.id, "H2", note, by=moderator.id, now=clock.now())
        assert isinstance(done, Refusal)
        assert done.field == field
    refused = sign_in("moderator", username="moe").post(
        "/moderation/news/H2", data={"text": "Out.", "source_url": "club.example"}
    )
    assert refused.status_code == 422
    assert "Enter the full web address of the source" in refused.text
    assert ">Out.</textarea>" in refused.text, "what was typed stays"


def test_erased_news_gives_the_word_before_it_back(
    sign_in: SignIn, season: Season, moderator: Member
) -> None:
    first = write(season, moderator)
    second = write(season, moderator, NewNote("Out for the season.", status="injured"))
    assert word(season) == ("injured", "Out for the season.")
    meg = sign_in("moderator", username="meg")
    meg.post(f"/moderation/news/notes/{second.id}/erase", data={"reason": "The wrong player"})
    assert word(season) == ("doubtful", HURT.text)
    meg.post(f"/moderation/news/notes/{first.id}/erase", data={"reason": ""})
    assert word(season) == ("available", "")
    assert db.session.scalars(select(PlayerNote)).all() == []
    assert meg.post(f"/moderation/news/notes/{first.id}/erase").status_code == 404
    audited = db.session.scalars(
        select(AuditEntry).where(AuditEntry.act == "news.erased").order_by(AuditEntry.id)
    )
    assert [entry.reason for entry in audited] == ["The wrong player", ""]


def test_a_note_without_a_status_leaves_it_as_it_is(season: Season, moderator: Member) -> None:
    write(season, moderator)
    write(season, moderator, NewNote("Practiced in full."))
    assert word(season) == ("doubtful", "Practiced in full.")
    rows = player_notes.notes_about(season.id, "H2")
    assert [(row.text, row.new_status) for row in rows] == [
        ("Practiced in full.", ""),
        (HURT.text, "doubtful"),
    ]


def test_a_roster_replaces_news_only_if_it_says_something_new(
    season: Season, moderator: Member
) -> None:
    write(season, moderator)
    put_on_market(season, [OnMarket("H2", "WR")])
    assert word(season) == ("doubtful", HURT.text), "the roster says what it said before"
    put_on_market(season, [OnMarket("H2", "WR", "injured", "Ankle")])
    assert word(season) == ("injured", "Ankle")
    note = db.session.scalars(select(PlayerNote)).one()
    player_notes.erase_note(note.id, by=moderator.id, reason="")
    assert word(season) == ("injured", "Ankle"), "the roster's newer word stays"

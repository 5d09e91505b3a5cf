"""An owner renames, hands over and deletes an integrator, and can then be erased."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.accounts import api_keys, integrators, services
from app.accounts.models import Integrator, Member, Player
from app.audit.models import AuditEntry
from app.boards.models import ScoreGame
from app.core import clock
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import privacy
from app.scores.deletion import integrators as integrator_deletion
from app.scores.models import ScoreAttempt
from tests.conftest import PASSWORD
from tests.worlds.callers import Callers, make_callers
from tests.worlds.score_games import make_integrator, make_score_game
from tests.worlds.score_log import Log, score_event
from workers.jobs import delete_scores

SignIn = Callable[..., FlaskClient]


@pytest.fixture
def studio(app: Flask, member: Callable[..., Member]) -> Callers:
    """An integrator of the member owner, with a game, a player and a score."""
    callers = make_callers(app, member("owner"))
    log = Log()
    log.put(score_event(callers.mode, callers.player_id, 5))
    log.consume()
    return callers


@pytest.fixture
def owner(studio: Callers, sign_in: SignIn) -> FlaskClient:
    services.find_member("owner").password_hash = services.hasher().hash(PASSWORD)  # type: ignore[union-attr]
    db.session.commit()
    return sign_in(username="owner")


def page(studio: Callers, act: str = "") -> str:
    return f"/integrators/{studio.integrator.id}/manage{act}"


def test_an_owner_renames_it_by_the_rules_of_names(studio: Callers, owner: FlaskClient) -> None:
    make_integrator("Card House", studio.owner.id)
    for name, words in (
        ("Card House", "is taken"),
        ("No\u200bva", "invisible"),
        ("Pressbox Support", "a staff member"),
    ):
        answer = owner.post(page(studio, "/rename"), data={"name": name})
        assert (answer.status_code, words in answer.text) == (422, True)
    assert owner.post(page(studio, "/rename"), data={"name": " Nova  Games "}).status_code == 303
    assert "Nova Games" in owner.get(f"/integrators/{studio.integrator.id}").text


def test_it_is_handed_over_with_keys_that_go_on_working(
    studio: Callers, owner: FlaskClient, sign_in: SignIn, member: Callable[..., Member]
) -> None:
    member("heir")
    for username in ("nobody", "owner"):
        assert (
            owner.post(page(studio, "/hand-over"), data={"username": username}).status_code == 422
        )
    assert owner.post(page(studio, "/hand-over"), data={"username": "HEIR"}).status_code == 303
    assert owner.get(page(studio)).status_code == 404
    assert "Dice House" in sign_in(username="heir").get("/integrators").text
    assert studio.game_server.get("/v1/games").status_code == 200
    assert isinstance(erased(studio), Member)


def erased(studio: Callers) -> Member | Refusal:
    by = studio.owner.id
    return privacy.erase(by, by=by, reason="asked", now=clock.now())


def test_a_member_who_named_an_integrator_is_erased_after_deleting_it(
    member: Callable[..., Member], sign_in: SignIn
) -> None:
    """It happened: one form on /integrators, and the account could never be erased."""
    ann = member("ann")
    named = make_integrator("Ann Games", ann.id)
    client = sign_in(username="ann")
    refused = client.post("/account/erase", data={"confirm": "ann"})
    assert (refused.status_code, "Your integrators" in refused.text) == (422, True)
    path = f"/integrators/{named.id}/manage/delete"
    assert client.post(path, data={"name": "Ann"}).status_code == 422
    assert client.post(path, data={"name": "Ann Games"}).status_code == 303
    assert client.post("/account/erase", data={"confirm": "ann"}).status_code == 303
    assert make_integrator("Ann Games", member("bob").id)  # the name is free again


def test_a_deleted_integrator_is_gone_at_once_and_its_games_scores_and_players_by_the_job(
    studio: Callers, owner: FlaskClient
) -> None:
    integrator_id = studio.integrator.id
    assert owner.post(page(studio, "/delete"), data={"name": "Dice House"}).status_code == 303
    assert owner.get(page(studio)).status_code == 404
    assert "Dice House" not in owner.get("/integrators").text
    assert studio.game_server.get("/v1/games").status_code == 401
    assert studio.app.test_client().get(studio.board).status_code == 404
    # no page shows the integrator any more, so that nobody could delete it "first"
    waits = erased(studio)
    assert isinstance(waits, Refusal)
    assert waits.text == "Your integrators are still being deleted. Try again in a few minutes."
    delete_scores.run()
    delete_scores.run()  # a job may run twice
    for model, whose in ((Integrator, Integrator.id), (Player, Player.integrator_id)):
        assert (
            db.session.scalar(select(func.count()).select_from(model).where(whose == integrator_id))
            == 0
        )
    assert db.session.scalar(select(func.count()).select_from(ScoreAttempt)) == 0
    assert (
        db.session.scalar(
            select(func.count()).select_from(ScoreGame).where(ScoreGame.slug == "dice")
        )
        == 0
    )
    acts = db.session.scalars(
        select(AuditEntry.act).where(AuditEntry.subject == f"integrator:{integrator_id}")
    )
    assert set(acts) == {"integrator.deleted", "integrator.gone"}
    assert isinstance(erased(studio), Member)


def test_scores_of_its_players_on_our_own_boards_go_with_them(studio: Callers) -> None:
    """An operator's key adds points to Pressbox's own board for players of any integrator."""
    site = make_score_game("site-two", "Site")
    studio.mode.game_id = site.id
    db.session.commit()
    assert integrator_deletion.ask(studio.integrator, "Dice House", now=clock.now()) is None
    delete_scores.run()
    assert db.session.scalar(select(func.count()).select_from(Player)) == 0
    db.session.rollback()
    board = (
        studio.app.test_client().get("/v1/games/site-two/modes/ranked/leaderboards/all-time").json
    )
    assert board["entries"] == []


def test_a_game_that_was_made_while_its_integrator_was_marked_goes_too(studio: Callers) -> None:
    """The key was checked before its integrator was deleted, and the game stored after it.

    It kept both for ever.
    """
    integrator_id = studio.integrator.id
    assert integrator_deletion.ask(studio.integrator, "Dice House", now=clock.now()) is None
    make_score_game("late", "Late", integrator_id)
    delete_scores.run()
    delete_scores.run()
    for model, whose in ((Integrator, Integrator.id), (ScoreGame, ScoreGame.integrator_id)):
        assert (
            db.session.scalar(select(func.count()).select_from(model).where(whose == integrator_id))
            == 0
        )


def test_an_account_that_is_erased_meanwhile_takes_nothing_over(
    studio: Callers, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    heir = member("heir")
    assert isinstance(privacy.erase(heir.id, by=heir.id, reason="asked", now=clock.now()), Member)
    heir = db.session.get_one(Member, heir.id)
    stale = Member(id=heir.id, username="heir", roles=[])
    monkeypatch.setattr(integrators, "find_member", lambda username: stale)
    refused = integrators.hand_over(studio.integrator, "heir", clock.now())
    assert (refused and refused.code) == "unknown"


def test_nobody_else_manages_it(studio: Callers, sign_in: SignIn) -> None:
    other = sign_in(username="zoe")
    assert other.get(page(studio)).status_code == 404
    sent = {"name": "Dice House", "username": "zoe"}
    for act in ("/rename", "/hand-over", "/delete"):
        assert other.post(page(studio, act), data=sent).status_code == 404
    assert api_keys.integrator_for(studio.integrator.id, studio.owner.id) is not None

"""The pages of moderation.

A story from the flag to the restored score, whose games are whose, and who sees what.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import services as accounts
from app.accounts.models import Integrator, Member, Player
from app.accounts.players import player_of
from app.audit.models import AuditEntry
from app.audit.verification import verify
from app.boards import services
from app.boards.models import Mode, ScoreGame
from app.core import clock
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import appealing, rollback, sanctions
from app.moderation.models import Appeal, Report, Rollback
from app.moderation.selection import Selection
from app.scores.events import ScoreEvent
from app.scores.models import ScoreAttempt
from tests.conftest import PASSWORD
from tests.predictions.conftest import cup, world
from tests.worlds.score_log import Log, check_boards, score_event
from tests.worlds.tournament import World

__all__ = ["cup", "world"]
MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
SignIn = Callable[..., FlaskClient]


def shown(game: ScoreGame, mode: Mode) -> list[str]:
    db.session.rollback()
    return [row.member for row in services.read(game, mode, "all-time").top(9).rows]


def hidden_field(page: str, name: str) -> str:
    start = page.index(f'name="{name}" value="') + len(f'name="{name}" value="')
    return page[start : page.index('"', start)]


def test_a_cheat_is_flagged_reviewed_rolled_back_appeals_and_is_restored(
    game: ScoreGame,
    make_mode: MakeMode,
    players: Players,
    sign_in: SignIn,
    member: Callable[..., Member],
) -> None:
    mode, bob = make_mode(), player_of(member("bob")).id
    (ann,) = players(1)
    log = Log()
    flagged = score_event(mode, bob, 13)
    log.put(score_event(mode, ann, 5), flagged)
    log.consume()
    moderator, cheat = sign_in("moderator"), sign_in(username="bob")
    assert shown(game, mode) == [str(ann)]
    moderator.post(
        f"/moderation/scores/{flagged.event_id}/decision",
        data={"decision": "accept", "reason": "looks right"},
    )
    assert shown(game, mode) == [str(bob), str(ann)]
    check_boards(mode)
    page = moderator.get(f"/moderation/rollbacks?event_id={flagged.event_id}").text
    assert "1 → none" in page
    assert "2 → 1" in page
    sent = {
        "event_id": str(flagged.event_id),
        "digest": hidden_field(page, "digest"),
        "reason": "a bot after all",
    }
    assert moderator.post("/moderation/rollbacks", data=sent).status_code == 303
    assert shown(game, mode) == [str(ann)]
    check_boards(mode)
    assert "a bot after all" in cheat.get("/appeals").text
    form = {"about": str(flagged.event_id), "text": "It was me, see my stream."}
    assert cheat.post("/appeals", data=form).status_code == 303
    assert cheat.post("/appeals", data=form).status_code == 422
    assert "It was me" in moderator.get("/moderation").text
    appeal = db.session.scalars(select(Appeal.id)).one()
    decision = {"decision": "grant", "reason": "The stream shows it."}
    assert moderator.post(f"/moderation/appeals/{appeal}/decide", data=decision).status_code == 303
    assert shown(game, mode) == [str(bob), str(ann)]
    check_boards(mode)
    assert "The stream shows it." in cheat.get("/appeals").text
    acts = [
        entry.act
        for entry in db.session.scalars(select(AuditEntry).order_by(AuditEntry.id))
        if "score" in entry.act
    ]
    assert acts == ["score.accepted", "scores.rolled_back", "score.restored"]
    assert verify().faults == []


def test_who_is_banned_appeals_from_the_sign_in_page(
    sign_in: SignIn, member: Callable[..., Member], client: FlaskClient
) -> None:
    bob = player_of(member("bob")).id
    sanctions.impose(
        bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=clock.now()
    )
    answer = client.post("/sign-in", data={"username": "bob", "password": PASSWORD})
    assert answer.status_code == 303
    where = answer.location
    assert where.startswith("/appeals?token=")
    page = client.get(where).text
    assert "You are banned" in page
    assert "a bot" in page
    about = sanctions.standing(bob)
    assert about is not None
    assert (
        client.post(where, data={"about": str(about.id), "text": "I am none."}).status_code == 303
    )
    assert client.get("/friends").status_code == 302
    moderator = sign_in("moderator")
    appeal = db.session.scalars(select(Appeal.id)).one()
    moderator.post(
        f"/moderation/appeals/{appeal}/decide", data={"decision": "grant", "reason": "Right, none."}
    )
    assert sanctions.standing(bob) is None
    assert client.get(f"{where}x").status_code == 404


def test_moderators_ban_and_lift_on_a_players_page_with_a_reason(
    sign_in: SignIn, member: Callable[..., Member]
) -> None:
    bob = player_of(member("bob")).id
    moderator = sign_in("moderator")
    path = f"/moderation/players/{bob}"
    assert f"{path}" in moderator.get("/moderation/players?q=BO").text
    assert (
        moderator.post(f"{path}/sanction", data={"kind": "ban", "reason": " "}).status_code == 422
    )
    assert (
        moderator.post(f"{path}/sanction", data={"kind": "ban", "reason": "a bot"}).status_code
        == 303
    )
    assert "Banned" in moderator.get(path).text
    assert moderator.post(f"{path}/note", data={"text": "second account of eve"}).status_code == 303
    assert "second account of eve" in moderator.get(path).text
    lift = {"reason": "was none", "standing": hidden_field(moderator.get(path).text, "standing")}
    assert moderator.post(f"{path}/lift", data=lift).status_code == 303
    tomorrow = f"{clock.now() + timedelta(days=2):%Y-%m-%d}"
    sent = {"kind": "suspension", "until": tomorrow, "reason": "rude"}
    assert moderator.post(f"{path}/sanction", data=sent).status_code == 303
    assert "Suspended" in moderator.get(path).text
    assert moderator.post(f"{path}/rename", data={"reason": "offensive"}).status_code == 303
    assert db.session.get_one(Player, bob, populate_existing=True).display_name.startswith(
        "Player "
    )


def test_members_report_and_moderators_close(
    sign_in: SignIn, member: Callable[..., Member]
) -> None:
    bob = player_of(member("bob")).id
    ann, moderator = sign_in(username="ann"), sign_in("moderator")
    sent = {"kind": "cheating", "text": "scores while offline"}
    assert "Thanks." in ann.post(f"/report/{bob}", data=sent).text
    assert ann.post(f"/report/{bob}", data=sent).status_code == 422
    assert "scores while offline" in moderator.get("/moderation").text
    number = db.session.scalars(select(Report.id)).one()
    assert (
        moderator.post(
            f"/moderation/reports/{number}/close", data={"reason": "looked: fine"}
        ).status_code
        == 303
    )
    assert "scores while offline" not in moderator.get("/moderation").text


def test_integrators_moderate_their_own_games_alone(
    two_games: tuple[Mode, ScoreEvent, Mode, ScoreEvent], sign_in: SignIn
) -> None:
    _, mine, _, other = two_games
    integrator = db.session.scalars(select(Integrator)).one().id
    accounts.find_member("owner").password_hash = accounts.hasher().hash(PASSWORD)  # type: ignore[union-attr]
    db.session.commit()
    owner = sign_in(username="owner")
    assert 'href="/moderation/scores"' in owner.get(f"/integrators/{integrator}").text
    page = owner.get("/moderation/scores").text
    assert str(mine.event_id) in page
    assert str(other.event_id) not in page
    for path in ("scores", "attempts"):
        assert owner.get(f"/moderation/{path}/{mine.event_id}").status_code == 200
        assert owner.get(f"/moderation/{path}/{other.event_id}").status_code == 404
    decision = {"decision": "accept", "reason": "fine"}
    assert (
        owner.post(f"/moderation/scores/{other.event_id}/decision", data=decision).status_code
        == 404
    )
    assert (
        owner.post(f"/moderation/scores/{mine.event_id}/decision", data=decision).status_code == 303
    )
    page = owner.get(f"/moderation/rollbacks?player_id={mine.player_id}").text
    assert "1 score of 1 player" in page
    sent = {
        "player_id": str(mine.player_id),
        "digest": hidden_field(page, "digest"),
        "reason": "a bot",
    }
    assert owner.post("/moderation/rollbacks", data=sent).status_code == 303
    states = dict(
        db.session.execute(select(ScoreAttempt.event_id, ScoreAttempt.rolled_back_at)).all()
    )
    assert states[mine.event_id] is not None
    assert states[other.event_id] is None
    rollback_id = db.session.scalars(select(Rollback.id)).one()
    assert (
        owner.post(
            f"/moderation/rollbacks/{rollback_id}/undo", data={"reason": "was none"}
        ).status_code
        == 303
    )
    assert (
        owner.post(
            "/moderation/boards/freeze", data={"board": "other-game:solo:all-time", "reason": "x"}
        ).status_code
        == 422
    )
    assert (
        owner.post(
            "/moderation/boards/freeze", data={"board": "own-game:solo:all-time", "reason": "x"}
        ).status_code
        == 303
    )
    for path in ("", "/players", "/audit", "/audit.csv"):
        assert owner.get(f"/moderation{path}").status_code == 404


def test_who_made_a_decision_does_not_decide_about_the_appeal_where_another_could(
    member: Callable[..., Member],
) -> None:
    bob, meg = player_of(member("bob")).id, member("meg", "moderator").id
    sanctions.impose(bob, sanctions.Measure(sanctions.BAN), by=meg, reason="a bot", now=clock.now())
    ban = sanctions.standing(bob)
    assert ban is not None
    sent = appealing.send(bob, "I am none.", clock.now(), sanction_id=ban.id)
    assert isinstance(sent, Appeal)
    (case,) = appealing.open_appeals()
    assert (case.player, case.about, case.why, case.by) == ("Bob", "The ban", "a bot", "Meg")

    def decided(by: int) -> str:
        done = appealing.decide(
            sent.id, granted=True, by=by, answer="Right, none.", now=clock.now()
        )
        return done.code if isinstance(done, Refusal) else "done"

    max_ = member("max", "operator")
    assert decided(meg) == "decided_first"
    max_.banned_at = clock.now()  # nobody else is left
    db.session.commit()
    assert decided(meg) == "done"
    assert sanctions.standing(bob) is None


def test_what_was_decided_about_a_score_stands_with_the_appeal(
    game: ScoreGame, make_mode: MakeMode, sign_in: SignIn, member: Callable[..., Member]
) -> None:
    mode, bob = make_mode(decimals=1), player_of(member("bob")).id
    log = Log()
    flagged = score_event(mode, bob, 13)
    log.put(flagged)
    log.consume()
    moderator, cheat = sign_in("moderator"), sign_in(username="bob")
    decision = {"decision": "reject", "reason": "too good"}
    moderator.post(f"/moderation/scores/{flagged.event_id}/decision", data=decision)
    page = cheat.get("/appeals").text
    for words in ("1.3 in Nova Run, Solo", "was rejected", "too good"):
        assert words in page, words
    cheat.post("/appeals", data={"about": str(flagged.event_id), "text": "It was me."})
    (case,) = appealing.open_appeals()
    assert (case.about, case.why, case.by) == ("1.3 in Nova Run, Solo", "too good", "A-Moderator")


def test_members_report_from_where_they_see_others(
    game: ScoreGame, make_mode: MakeMode, sign_in: SignIn, member: Callable[..., Member], cup: World
) -> None:
    mode, bob = make_mode(), player_of(member("cat")).id
    ann = cup.player("Ann")
    log = Log()
    log.put(score_event(mode, bob, 5), score_event(mode, ann, 7))
    log.consume()
    board = f"/boards/{game.slug}/{mode.slug}/all-time"
    browser = sign_in(username="ann")
    page = browser.get(board).text
    assert f"/report/{bob}" in page
    assert f"/report/{ann}" not in page
    assert "/report/" not in browser.application.test_client().get(board).text
    for match in ("m1", "m2", "m3"):
        cup.ended(match, 2, 1)
    cup.poll()
    cup.settle()
    page = browser.get(f"/tournaments/{cup.id}/leaderboard").text
    assert f"/report/{cup.player('Bob')}" in page
    assert f"/report/{ann}" not in page


def test_staff_find_the_freeze_on_the_page_of_a_board(
    game: ScoreGame, make_mode: MakeMode, players: Players, sign_in: SignIn
) -> None:
    mode = make_mode()
    log = Log()
    log.put(score_event(mode, players(1)[0], 5))
    log.consume()
    moderator, path = sign_in("moderator"), f"/boards/{game.slug}/{mode.slug}/all-time"
    name = f"{game.slug}:{mode.slug}:all-time"
    assert "Freeze this board" in moderator.get(path).text
    moderator.post("/moderation/boards/freeze", data={"board": name, "reason": "bots"})
    assert "Frozen for the public" in moderator.get(path).text
    assert "Frozen" not in sign_in().get(path).text


def test_nothing_is_not_taken_back(make_mode: MakeMode, players: Players, sign_in: SignIn) -> None:
    mode = make_mode()
    moderator, sent = (
        sign_in("moderator"),
        {"mode_id": str(mode.id), "player_id": str(players(1)[0])},
    )
    page = moderator.get("/moderation/rollbacks", query_string=sent).text
    assert "No matching scores." in page
    digest = rollback.preview(Selection(player_id=UUID(sent["player_id"])))
    assert isinstance(digest, rollback.Preview)
    answer = moderator.post(
        "/moderation/rollbacks", data=sent | {"digest": digest.digest, "reason": "a bot"}
    )
    assert answer.status_code == 422
    assert db.session.scalars(select(Rollback)).all() == []


def test_players_are_looked_for_by_numbers_of_any_size(sign_in: SignIn) -> None:
    moderator = sign_in("moderator")
    for number in (
        "2147483648",
        "9223372036854775807",
        "9223372036854775808",
        "00000000000000000000",
    ):
        assert moderator.get(f"/moderation/players?q={number}").status_code == 200, number


def test_a_decision_that_was_made_for_another_state_is_refused(
    sign_in: SignIn, member: Callable[..., Member]
) -> None:
    """Issue 47, M3: two moderators who saw no sanction; the later form does not replace the ban."""
    bob = player_of(member("bob")).id
    path = f"/moderation/players/{bob}"
    maud, moe = (sign_in("moderator", username=name) for name in ("maud", "moe"))
    ban = {"kind": "ban", "reason": "a bot", "standing": ""}
    shadow = ban | {"kind": "shadow"}
    assert maud.post(f"{path}/sanction", data=ban).status_code == 303
    answer = moe.post(f"{path}/sanction", data=shadow)
    assert (
        answer.status_code,
        "Maud has banned them in the meantime. Reload the page." in answer.text,
    ) == (
        422,
        True,
    )
    standing_id = hidden_field(answer.text, "standing")
    assert maud.post(f"{path}/sanction", data=shadow | {"standing": standing_id}).status_code == 303
    lift = {"reason": "was none", "standing": standing_id}
    answer = moe.post(f"{path}/lift", data=lift)
    assert "Maud has shadow banned them in the meantime. Reload the page." in answer.text
    standing_id = hidden_field(answer.text, "standing")
    assert maud.post(f"{path}/lift", data=lift | {"standing": standing_id}).status_code == 303
    answer = moe.post(f"{path}/sanction", data=ban | {"standing": standing_id})
    assert "Maud has lifted it in the meantime. Reload the page." in answer.text
    assert sanctions.standing(bob) is None

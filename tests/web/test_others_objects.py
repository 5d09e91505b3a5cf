"""Somebody else's object.

A member without any tie to it gets 404 for every address, but where it is for everybody.
"""

from __future__ import annotations

from flask.testing import FlaskClient

from app.accounts import services
from tests.conftest import PASSWORD
from tests.web.sending import Sender
from tests.web.test_odd_input import app as app
from tests.web.test_odd_input import rules
from tests.web.test_odd_input import world as world
from tests.worlds.whole_site import World

# For everybody: whoever has an invite code may join, whoever is signed in may guess and ask for
# friends.
SHARED = {
    "/boards/<game>/<mode>",
    "/boards/<game>/<mode>/<window>",
    "/boards/<game>/<mode>/<window>/friends",
    "/footballers/<footballer_id>",
    "/footballers/<footballer_id>/compare",
    "/friends/<uuid:player_id>/<act>",
    "/gamers/<int:member_id>",
    "/gamers/<int:member_id>/picture",
    "/players/<uuid:player_id>/picture",
    "/join/<code>",
    "/join/<code>/picture.png",
    "/static/<path:filename>",
    "/tournaments/join/<code>",
    # Whoever is signed in may report anybody, and take their own data away.
    "/report/<uuid:player_id>",
    "/report/gamer/<int:member_id>",
    "/account/data/<any(json, csv):form>",
    # One's own team under these rules, one's own guesses.
    "/team/<int:team_rules_id>",
    "/team/<int:team_rules_id>/market",
    "/team/<int:team_rules_id>/undo",
}
SHARED_BELOW = ("/games/<game_id>", "/tournaments/<uuid:tournament_id>")
PRIVATE_BELOW = "/tournaments/<uuid:tournament_id>/pools/<int:pool_id>"
API = ("/v1/", "/api/")  # by keys and tokens: tests/api


def is_shared(path: str) -> bool:
    return path in SHARED or (path.startswith(SHARED_BELOW) and not path.startswith(PRIVATE_BELOW))


def test_nobody_gets_at_what_is_not_theirs(world: World) -> None:
    services.register("outsider", "Out Sider", PASSWORD)
    client: FlaskClient = world.app.test_client()
    assert (
        client.post("/sign-in", data={"username": "outsider", "password": PASSWORD}).status_code
        == 303
    )
    sender, answers = Sender(world), {}
    for rule, method in sorted(
        rules(world.app), key=lambda rule_and_method: is_shared(rule_and_method[0].rule)
    ):
        if rule.arguments and not rule.rule.startswith(API):
            answer = sender.send(client, method, sender.path(rule), rule.rule)
            assert answer is not None, sender.broken
            answers[method, rule.rule] = answer.status_code
    wrong = {where: code for where, code in answers.items() if (code == 404) is is_shared(where[1])}
    assert wrong == {}, "shared ones must not be 404, all others must be"

"""Pages of players without a team: the list, the form, claims and reports."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC
from itertools import islice

import msgspec
import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace
from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import WaiverSettings
from app.draft_leagues.waivers import runs
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.models import WaiverClaim
from app.draft_leagues.waivers.services import Wish
from app.draft_leagues.waivers.times import runs_after
from app.fantasy.rosters.queries import names_of, rosters_of
from tests.worlds.draft_leagues import DraftWorld


@pytest.fixture
def ann(drafted: DraftWorld, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def address(world: DraftWorld, path: str) -> str:
    return f"/leagues/{world.league.slug}/{path}"


def drop(world: DraftWorld, franchise: int) -> str:
    """Somebody who has just been dropped, and is on waivers."""
    footballer = [*rosters_of(world.league.id).of(franchise)][-1]
    member_id = world.members[franchise - 1]
    assert roster_acts.drop(world.league.id, member_id, footballer, clock.now()) == []
    return footballer


def test_a_free_agent_is_added_from_the_list(ann: FlaskClient, drafted: DraftWorld) -> None:
    footballer = drafted.free("QB")[0]
    name = names_of([footballer])[footballer]
    page = ann.get(address(drafted, f"players?q={name}")).text
    assert f'Add<span class="visually-hidden"> {name}' in page
    form = ann.get(address(drafted, f"waivers/claim/{footballer}")).text
    assert "Free agent. They go straight to your bench." in form
    answer = ann.post(address(drafted, f"waivers/claim/{footballer}"), data={"add": "1"})
    assert answer.status_code == 303
    assert rosters_of(drafted.league.id).places[footballer].franchise == 1
    again = ann.post(address(drafted, f"waivers/claim/{footballer}"), data={"add": "1"})
    assert again.status_code == 422
    assert f"{name} is already on your team." in again.text
    assert "Free agent." not in again.text
    assert "Add to my team" not in again.text


def test_a_claim_is_placed_ordered_and_cancelled(ann: FlaskClient, drafted: DraftWorld) -> None:
    first, second = drop(drafted, 4), drop(drafted, 3)
    for footballer in (first, second):
        answer = ann.post(
            address(drafted, f"waivers/claim/{footballer}"), data={"claim": "1", "group": "1"}
        )
        assert answer.status_code == 303
    page = ann.get(address(drafted, "waivers?claimed=1")).text
    assert "Claim placed." in page
    assert "Your priority is 1." in page
    rows = db.session.scalars(select(WaiverClaim).order_by(WaiverClaim.position)).all()
    ann.post(address(drafted, f"waivers/{rows[1].id}/move"), data={"place": "1"})
    ann.post(address(drafted, f"waivers/{rows[0].id}/cancel"))
    [left] = waivers.open_claims(drafted.league.id)
    assert (left.footballer_id, left.position) == (second, 1)


def test_a_claim_is_opened_again_as_it_was_placed(ann: FlaskClient, drafted: DraftWorld) -> None:
    claimed, teammate = drop(drafted, 4), [*rosters_of(drafted.league.id).of(1)][1]
    form = address(drafted, f"waivers/claim/{claimed}")
    assert ann.post(form, data={"claim": "1", "drop": teammate, "group": "1"}).status_code == 303
    assert f'href="{form}"' in ann.get(address(drafted, "waivers")).text
    page = ann.get(form).text
    assert "You have claimed them." in page
    assert f'<option value="{teammate}" selected>' in page
    assert 'name="group" value="1" checked' in page
    assert "Save claim" in page


def test_a_claim_in_vain_is_marked_and_one_that_was_decided_leads_to_the_results(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    claimed, teammate = drop(drafted, 4), [*rosters_of(drafted.league.id).of(1)][1]
    form = address(drafted, f"waivers/claim/{claimed}")
    assert ann.post(form, data={"claim": "1", "drop": teammate}).status_code == 303
    assert roster_acts.drop(drafted.league.id, drafted.members[0], teammate, clock.now()) == []
    name = names_of([teammate])[teammate]
    sentence = f"{name} is no longer on your team. Claim again with another drop."
    assert sentence in ann.get(address(drafted, "waivers")).text
    [claim] = waivers.open_claims(drafted.league.id)
    later = clock.now()
    runs.run(drafted.league.id, later.replace(year=later.year + 1), later)
    late = ann.post(address(drafted, f"waivers/{claim.id}/cancel"))
    assert late.status_code == 422
    assert "This claim was decided or cancelled already. Past runs show every result." in late.text
    assert "You have no open claims." in late.text


def test_a_claim_that_the_next_run_does_not_decide_says_which_one_does(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    """Somebody who was dropped just now is on waivers for a day, and runs are daily."""
    every_day = WaiverSettings(days=("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"))
    settings = msgspec.to_builtins(replace(drafted.settings, waivers=every_day))
    db.session.get_one(DraftLeague, drafted.league.id).settings = settings
    db.session.commit()
    dropped = drop(drafted, 4)
    next_run, second_run = islice(runs_after(every_day, drafted.settings.time_zone, clock.now()), 2)
    form = address(drafted, f"waivers/claim/{dropped}")
    assert ann.post(form, data={"claim": "1"}).status_code == 303
    page = ann.get(address(drafted, "waivers")).text
    assert re.findall(r'(The next run is on|clears) <time datetime="([^"]*)"', page) == [
        ("The next run is on", next_run.astimezone(UTC).isoformat()),
        ("clears", second_run.astimezone(UTC).isoformat()),
    ]


def test_a_report_says_why_and_others_cannot_decide_anew(
    ann: FlaskClient, drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    footballer = drop(drafted, 4)
    for member_id in drafted.members[:2]:
        waivers.claim(drafted.league.id, member_id, Wish(footballer), clock.now())
    preview = ann.get(address(drafted, "waivers/preview")).text
    assert "Won with priority 1." in preview
    assert "Bob FC" not in preview  # a blind claim is secret from the commissioner too
    later = clock.now()
    runs.run(drafted.league.id, later.replace(year=later.year + 1), later)
    run_id = db.session.scalars(select(WaiverClaim.run_id).distinct()).one()
    report = ann.get(address(drafted, f"waivers/{run_id}")).text
    assert "Won with priority 1." in report
    assert "Lost to Ann FC, whose priority was 1; yours was 2." in report
    bob = sign_in(username="bob")
    assert "You have no open claims." in bob.get(address(drafted, "waivers/preview")).text
    path = address(drafted, f"waivers/{run_id}/repeat")
    assert bob.post(path, data={"reason": "Again"}).status_code == 403
    assert "Give a reason" in ann.post(path, data={"reason": ""}).text
    assert ann.post(path, data={"reason": "The standings were wrong"}).status_code == 303
    assert (
        "The commissioner re-ran these waivers"
        in ann.get(address(drafted, f"waivers/{run_id}")).text
    )


def test_strangers_see_nothing(
    drafted: DraftWorld, member: Callable[..., object], sign_in: Callable[..., FlaskClient]
) -> None:
    member("eve")
    eve = sign_in(username="eve")
    for path in ("players", "waivers", "waivers/preview", "waivers/1", "waivers/claim/x"):
        assert eve.get(address(drafted, path)).status_code == 404

"""Pages on which a league goes on in the next season, and keepers are chosen."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.core.db import db
from app.draft_leagues.draft_planning import DraftDate, schedule
from app.draft_leagues.keepers import services
from app.draft_leagues.keepers.queries import chosen_by, planned, window
from app.draft_leagues.keepers.rolling import next_league
from app.draft_leagues.models import SEASON, DraftLeague
from app.draft_leagues.settings import KeeperSettings
from app.fantasy.notices.models import Notice
from app.fantasy.standings.models import League
from tests.draft_leagues.keepers.test_services import DEADLINE, OFFSEASON, members, roll, roster


class Clock:
    """The moment in which pages are read."""

    now = OFFSEASON


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for name in ("now", "received_at"):
        monkeypatch.setattr(f"app.draft_leagues.pages.keeper_views.{name}", lambda: clock.now)
    return clock


def text_of(page: str) -> str:
    """What a page says, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def local(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M}"


def address(league: League, path: str = "") -> str:
    return f"/leagues/{league.slug}/keepers{path}"


def test_a_commissioner_sees_what_goes_along_and_takes_the_league_on_once(
    found_league: Callable[..., League], sign_in: Callable[..., FlaskClient], clock: Clock
) -> None:
    old = found_league()
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    assert "when the commissioner starts the next one" in bob.get(address(old)).text
    assert bob.get(address(old, "/next")).status_code == 403
    assert bob.post(address(old, "/next")).status_code == 403
    assert address(old, "/next") in ann.get(f"/leagues/{old.slug}/commissioner").text
    preview = text_of(ann.get(address(old, "/next")).text)
    assert "Ann FC Carried over Bob FC Carried over Team 3 Open team" in preview
    assert "Keepers Up to 2 Keeper cost Pick 1 round earlier" in preview
    assert "Ann FC 3 to choose from" in preview
    for typed in ("", "tomorrow", local(OFFSEASON - timedelta(days=1))):
        refused = ann.post(address(old, "/next"), data={"deadline": typed})
        assert refused.status_code == 422, typed
        assert next_league(old.id) is None
    data = {"deadline": local(DEADLINE)}
    answers = [ann.post(address(old, "/next"), data=data) for _ in range(2)]
    new = next_league(old.id)
    assert new is not None
    assert {answer.location for answer in answers} == {address(new, "?rolled=1")}
    open_window = window(new.id)
    assert open_window is not None
    assert open_window.deadline == DEADLINE
    assert ann.get(address(old, "/next")).location == address(new)
    assert address(new) in bob.get(address(old)).text
    assert f"/leagues/{old.slug}/standings" in bob.get(address(new)).text


def test_a_season_that_is_on_says_when_it_can_go_on(
    found_league: Callable[..., League], sign_in: Callable[..., FlaskClient], clock: Clock
) -> None:
    old = found_league()
    db.session.get_one(DraftLeague, old.id).phase = SEASON
    db.session.commit()
    ann = sign_in(username="ann")
    assert "Start the next one after its last week" in ann.get(address(old, "/next")).text
    assert "You choose keepers after this season" in ann.get(address(old)).text


def test_a_stale_tab_does_not_take_a_choice_back(
    found_league: Callable[..., League], sign_in: Callable[..., FlaskClient], clock: Clock
) -> None:
    new = roll(found_league())
    _, second, third = (each.footballer_id for each in roster(new, 2))
    bob = sign_in(username="bob")
    [stood] = re.findall(r'name="stood" value="([^"]*)"', bob.get(address(new)).text)
    saving = {"act": "save", "stood": stood}
    for _ in range(2):  # the same choice sent again is none of somebody else
        answer = bob.post(address(new, "/team/2"), data=saving | {"keep": [third, second]})
        assert answer.status_code == 303
    stale = bob.post(address(new, "/team/2"), data=saving)
    assert (stale.status_code, "Someone saved other keepers" in stale.text) == (422, True)
    assert chosen_by(new.id, 2) == [third, second]
    [stood] = re.findall(r'name="stood" value="([^"]*)"', stale.text)
    answer = bob.post(address(new, "/team/2"), data={"act": "save", "stood": stood})
    assert (answer.status_code, chosen_by(new.id, 2)) == (303, [])


def test_a_member_sees_costs_previews_a_choice_and_saves_it(
    found_league: Callable[..., League], sign_in: Callable[..., FlaskClient], clock: Clock
) -> None:
    new = roll(found_league())
    first, second, third = (each.footballer_id for each in roster(new, 2))
    bob = sign_in(username="bob")
    page = text_of(bob.get(address(new)).text)
    assert "7 days 0 hours left." in page
    assert "Choose up to 2." in page
    assert "drafted in round 3 Round 2" in page
    assert "cost round 1, and there is no round 1 earlier" in page
    assert "Left for the draft: rounds 1 to 3" in page
    form = {"keep": [third, second]}
    fragment = bob.post(address(new, "/team/2"), data=form, headers={"HX-Request": "true"}).text
    assert "<html" not in fragment
    assert "Preview 2 of 2" in text_of(fragment)
    assert "Left for the draft: round 3" in text_of(fragment)
    assert services.choices(new.id) == []
    refused = bob.post(address(new, "/team/2"), data={"keep": [first], "act": "save"})
    assert refused.status_code == 422
    unknown = bob.post(address(new, "/team/2"), data={"keep": ["nobody"], "act": "save"})
    assert "was not on this roster when the season ended" in unknown.text
    done = bob.post(address(new, "/team/2"), data=form | {"act": "save"})
    assert done.status_code == 303
    assert [each.footballer_id for each in services.choices(new.id)] == [third, second]
    assert "Saved keepers 2 of 2" in text_of(bob.get(done.location).text)
    for path, status in (("/team/1", 403), ("/team/9", 404)):
        assert bob.get(address(new, path)).status_code == status
        assert bob.post(address(new, path)).status_code == status
    assert bob.post(address(new, "/close")).status_code == 403


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_buttons_change_the_order_of_a_choice(
    found_league: Callable[..., League],
    sign_in: Callable[..., FlaskClient],
    clock: Clock,
    headers: dict[str, str],
) -> None:
    new = roll(found_league())
    _, second, third = (each.footballer_id for each in roster(new, 2))
    form = {"keep": [third, second], "up": second}
    page = sign_in(username="bob").post(address(new, "/team/2"), data=form, headers=headers).text
    assert ("<html" in page) is (not headers)
    assert page.index(f'value="{second}"') < page.index(f'value="{third}"')
    assert f'id="up-{second}"' in page  # where the focus stays
    assert ">Preview</h2>" in page


def test_a_commissioner_sees_who_has_chosen_and_closes(
    found_league: Callable[..., League], sign_in: Callable[..., FlaskClient], clock: Clock
) -> None:
    new = roll(found_league())
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    third = roster(new, 2)[2]
    form = {"keep": [third.footballer_id], "act": "save"}
    assert ann.post(address(new, "/team/2"), data=form).status_code == 303
    page = text_of(ann.get(address(new)).text)
    assert "Ann FC None yet Bob FC 1 chosen" in page
    assert "Selections so far" not in bob.get(address(new)).text
    assert ann.post(address(new, "/close")).status_code == 303
    page = text_of(bob.get(address(new)).text)
    assert f"Bob FC {third.name} Round 2" in page
    assert "No keepers." in page
    assert bob.post(address(new, "/team/2"), data={"act": "save"}).status_code == 422
    assert [each.round for each in planned(new.id)] == [2]
    stand = db.session.scalars(
        select(Notice.body).where(Notice.title.contains("locked in")).order_by(Notice.body)
    ).all()
    assert [each.replace("\u2068", "").replace("\u2069", "") for each in stand] == [
        "You have no keepers and draft a full roster.",
        f"You keep {third.name}.",
    ]


def test_after_the_deadline_nothing_can_be_chosen(
    found_league: Callable[..., League], sign_in: Callable[..., FlaskClient], clock: Clock
) -> None:
    new = roll(found_league())
    clock.now = DEADLINE
    bob = sign_in(username="bob")
    assert "The deadline has passed." in bob.get(address(new)).text
    late = bob.post(address(new, "/team/2"), data={"act": "save"})
    assert (late.status_code, services.CLOSED.text in late.text) == (422, True)
    fragment = bob.post(address(new, "/team/2"), headers={"HX-Request": "true"}).text
    assert "Keeper selection is closed." in fragment


def test_leagues_without_keepers_and_dynasties_say_so(
    found_league: Callable[..., League], sign_in: Callable[..., FlaskClient], clock: Clock
) -> None:
    old = found_league(KeeperSettings(most=0))
    ann = sign_in(username="ann")
    assert "None: every team drafts a new roster." in ann.get(address(old, "/next")).text
    assert ann.post(address(old, "/next")).status_code == 303
    new = next_league(old.id)
    assert new is not None
    assert "No keepers: every team drafts" in ann.get(address(new)).text
    assert ann.get(address(new, "/team/1")).status_code == 404
    assert ann.post(address(new, "/close")).status_code == 404


def test_a_dynasty_begins_with_whole_rosters_chosen(
    found_league: Callable[..., League], sign_in: Callable[..., FlaskClient], clock: Clock
) -> None:
    old = found_league(KeeperSettings(keeps_all=True, rookie_rounds=2))
    bob = sign_in(username="bob")
    assert "You keep your whole roster at no cost" in text_of(bob.get(address(old)).text)
    new = roll(old)
    page = text_of(bob.get(address(new)).text)
    assert "Saved keepers 3 of 4" in page  # a place of injured reserve counts
    assert "rookie draft of 2 rounds for rookies and free agents" in page
    assert "Left for the draft: rounds 1, 2" in page
    ann = members(new)[1]
    assert ann is not None
    assert schedule(new.id, DraftDate(None, (1, 2, 3)), ann, OFFSEASON) == []
    draft_step = sign_in(username="ann").get(f"/leagues/{new.slug}/setup/draft").text
    assert "This is a dynasty league's rookie draft" in draft_step

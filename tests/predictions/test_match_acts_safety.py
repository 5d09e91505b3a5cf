"""Operators' acts on matches that are repeated, killed, concurrent or refused."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
import psycopg
import pytest
from flask import Flask
from sqlalchemy import select, text, update

from app.audit import log as audit
from app.core.db import db
from app.core.refusals import Refusal
from app.embedded.stack import Stack
from app.predictions.decisions import previews
from app.predictions.decisions import services as decisions
from app.predictions.decisions.previews import Preview
from app.predictions.decisions.services import Done
from app.predictions.models import Match, MatchAct, ProviderSource, Settlement
from app.predictions.points import PRESETS
from app.predictions.settlement import requests
from tests.predictions.deciding import (
    LATER,
    NEW,
    back,
    dropped_match,
    entries,
    order,
    right,
    snapshot,
    stored,
    titles,
)
from tests.waiting import join, patience, until
from tests.worlds.tournament import END, KICKOFF, World


@pytest.fixture
def here(world: Callable[..., World]) -> World:
    return dropped_match(world(PRESETS["margin"]))


ACTS: list[tuple[str, Callable[[World], Any], Callable[[World], Any]]] = [
    (
        "void",
        lambda world: decisions.void(world.id_of("2"), order()),
        lambda world: decisions.unvoid(world.id_of("2"), order()),
    ),
    (
        "redate",
        lambda world: decisions.redate(world.id_of("2"), NEW, order()),
        lambda world: decisions.release(world.id_of("2"), order()),
    ),
]


@pytest.mark.parametrize(("kind", "act", "undo"), ACTS)
def test_a_repeated_act_changes_nothing(
    here: World, kind: str, act: Callable[[World], Any], undo: Callable[[World], Any]
) -> None:
    for each in (act, undo):
        assert each(here).is_new
        before = (entries(), titles(here, "Ann"), snapshot())
        assert each(here) == Done(here.id_of("2"), is_new=False)
        assert (entries(), titles(here, "Ann"), snapshot()) == before
    assert stored(here, "2").overruled is None
    acts = db.session.scalars(select(MatchAct)).all()
    assert [(act_row.kind, act_row.ended_at) for act_row in acts] == [(kind, LATER)], (
        "both are facts that stay"
    )


def test_a_repeated_merge_changes_nothing(here: World) -> None:
    here.match("99", "liv", "mun", round="week-2", kickoff=NEW)
    here.match("98", "liv", "mun", round="week-2", kickoff=NEW)
    here.poll(LATER)
    assert decisions.merge(here.id_of("2"), here.id_of("99"), order()) == Done(
        here.id_of("2"), is_new=True
    )
    before = snapshot()
    assert decisions.merge(here.id_of("2"), here.id_of("99"), order()) == Done(
        here.id_of("2"), is_new=False
    )
    assert snapshot() == before


class Killed(BaseException):
    """As if the process had ended."""


STEPS = ("notices", "want_rounds", "findings", "audit")


@pytest.mark.breadth("kills between all steps")
@pytest.mark.parametrize(
    ("kind", "place"), [*itertools.product(("void", "redate", "merge"), STEPS), ("merge", "credit")]
)
def test_an_act_is_there_whole_or_not_at_all(
    here: World, monkeypatch: pytest.MonkeyPatch, kind: str, place: str
) -> None:
    """Killed between any two of its steps, nothing has changed.

    After the commit all has, without Redis too.
    """
    here.match("99", "liv", "mun", round="week-2", kickoff=NEW)
    here.match("98", "liv", "mun", round="week-2", kickoff=NEW)
    here.poll(LATER)
    ids = here.id_of("2"), here.id_of("99")
    acts: dict[str, Callable[[], object]] = {
        "void": lambda: decisions.void(ids[0], order()),
        "redate": lambda: decisions.redate(ids[0], NEW, order()),
        "merge": lambda: decisions.merge(*ids, order()),
    }
    before = snapshot()

    def kill(*_: Any, **__: Any) -> None:
        raise Killed

    target: tuple[Any, str] = {
        "notices": (decisions.notices, "notify_guessers"),
        "credit": (decisions.settlement, "credit"),
        "want_rounds": (decisions.wishes, "want_rounds"),
        "findings": (decisions.findings, "end"),
        "audit": (audit, "record"),
    }[place]
    with monkeypatch.context() as patch:
        patch.setattr(*target, kill)
        with pytest.raises(Killed):
            acts[kind]()
    assert snapshot() == before
    assert acts[kind]() == Done(ids[0], is_new=True)


def test_an_act_whose_process_ends_after_the_commit_is_made_good(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settlements that nobody sent wait as rows, and are sent again by the reconcile job."""
    back(here)
    here.ended("2", 2, 1)
    here.poll()
    here.settle()

    def kill(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(decisions, "_show", kill)
        with pytest.raises(Killed):
            decisions.void(here.id_of("2"), order(END))
    db.session.rollback()
    assert stored(here, "2").fate == "void"
    pending = select(Settlement.key).where(Settlement.state == "pending")
    assert db.session.scalars(pending).all()
    assert requests.send_overdue(END + timedelta(minutes=5)) >= 1
    here.settle()
    right(here)


def test_two_operators_at_once_do_it_once(here: World, app: Flask) -> None:
    results: list[object] = []
    match_id = here.id_of("2")
    db.session.rollback()

    def act() -> None:
        with app.app_context():
            results.append(decisions.void(match_id, order()))

    threads = [threading.Thread(target=act) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        join(thread)
    assert sorted(done.is_new for done in results if isinstance(done, Done)) == [False, True]
    assert entries() == [("operations.match_voided", "2")]


def test_an_act_and_a_poll_at_once_never_wait_for_each_other(
    here: World, app: Flask, stack: Stack
) -> None:
    """A poll and an act both lock the provider's row first, then the tournament.

    See polling.py and decision 0013.
    """
    match_id = here.id_of("2")
    db.session.execute(update(ProviderSource).values(etag="seen"))
    db.session.commit()
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
        "wait_event_type = 'Lock'"
    )

    def act() -> object:
        with app.app_context():
            return decisions.void(match_id, order())

    with psycopg.connect(stack.settings.psycopg_url) as poll, ThreadPoolExecutor(1) as thread:
        poll.execute("SELECT 1 FROM provider_sources FOR UPDATE")
        acting = thread.submit(act)
        until(lambda: db.session.scalar(waiting) == 1, "the act waits for the poll")
        poll.execute("SELECT 1 FROM tournaments FOR NO KEY UPDATE")
        poll.commit()
        assert acting.result(timeout=patience(120)) == Done(match_id, is_new=True)
    db.session.rollback()
    assert db.session.scalar(select(ProviderSource.etag)) is None


def test_what_changed_since_the_preview_is_looked_at_again(here: World) -> None:
    preview = previews.of_void(here.id_of("2"))
    assert isinstance(preview, Preview)
    back(here)
    here.ended("2", 2, 1)
    here.poll()
    refused = decisions.void(here.id_of("2"), order(digest=preview.digest))
    assert isinstance(refused, Refusal)
    assert refused.code == "changed_meanwhile"
    again = previews.of_void(here.id_of("2"))
    assert isinstance(again, Preview)
    assert decisions.void(here.id_of("2"), order(digest=again.digest)) == Done(
        here.id_of("2"), is_new=True, settlements=1
    )


def test_what_is_refused_says_why(here: World) -> None:
    here.match("3", "ars", "mun")
    here.match("4", "liv", "mun", kickoff=KICKOFF - timedelta(hours=3), status="live")
    here.ended("5", 2, 1)
    here.match("5", "mun", "liv")
    here.match("6", "liv", "mun", status="cancelled")
    here.poll(LATER)
    ids = {match_id: here.id_of(match_id) for match_id in "123456"}

    def code(result: object) -> str:
        assert isinstance(result, Refusal)
        assert result.text.endswith(".")
        return result.code

    assert code(decisions.void(ids["2"], order(reason=" "))) == "no_reason"
    assert code(decisions.unvoid(ids["2"], order())) == "not_decided"
    assert code(decisions.release(ids["2"], order())) == "not_decided"
    assert code(decisions.unvoid(ids["6"], order())) == "not_decided", "void by its provider"
    assert code(decisions.redate(ids["2"], NEW.replace(tzinfo=None), order())) == "kickoff"
    assert code(decisions.redate(ids["5"], NEW, order())) == "ended"
    assert code(decisions.redate(ids["6"], NEW, order())) == "void"
    assert code(decisions.redate(ids["4"], NEW, order(END))) == "in_play"
    assert code(decisions.merge(ids["2"], ids["2"], order())) == "itself"
    assert code(decisions.merge(ids["2"], ids["3"], order())) == "teams"
    assert code(decisions.merge(ids["2"], ids["6"], order())) == "void"
    assert code(decisions.merge(ids["5"], ids["2"], order())) == "ended"
    assert code(decisions.merge(ids["2"], UUID(int=7), order())) == "no_match"
    assert decisions.merge(ids["2"], ids["4"], order()) == Done(ids["2"], is_new=True)
    assert code(decisions.void(ids["2"], order())) == "merged"
    assert code(decisions.merge(ids["2"], ids["5"], order())) == "merged"


def test_the_next_answer_is_a_whole_one(here: World) -> None:
    """What an unchanged answer shows has changed by the act.

    Findings of it are to be noted anew.
    """
    source = db.session.get_one(ProviderSource, here.id)
    source.etag, source.last_modified = "e", "l"
    db.session.commit()
    decisions.void(here.id_of("2"), order())
    source = db.session.get_one(ProviderSource, here.id, populate_existing=True)
    assert (source.etag, source.last_modified) == (None, None)


def test_a_void_match_whose_id_goes_to_other_teams_stays_void(here: World) -> None:
    decisions.void(here.id_of("2"), order())
    old = here.id_of("2")
    here.matches["2"] = msgspec.structs.replace(here.matches["1"], id="2", home="mun", away="ars")
    here.poll(LATER)
    assert here.id_of("2") != old
    decisions.unvoid(old, order())
    assert db.session.get_one(Match, old, populate_existing=True).fate == "void", (
        "it is not played any more"
    )


@pytest.mark.parametrize("seed", range(3))
def test_any_sequence_of_decisions_and_polls_leaves_the_points_that_a_recomputation_gives(
    here: World, seed: int
) -> None:
    """Decisions and answers of the provider in any order.

    Settled, nobody has a point too many or too few.
    """
    draw = random.Random(seed)  # noqa: S311
    back(here)
    here.match("99", "liv", "mun", round="week-2")
    here.match("98", "liv", "mun", round="week-2")
    here.poll(LATER)
    acts: list[Callable[[UUID], object]] = [
        lambda match: decisions.void(match, order(END)),
        lambda match: decisions.unvoid(match, order(END)),
        lambda match: decisions.redate(match, NEW, order(END)),
        lambda match: decisions.release(match, order(END)),
        lambda match: decisions.merge(match, here.id_of("99"), order(END)),
    ]
    for _ in range(25):
        match_id = draw.choice(("1", "2", "99"))
        match draw.randrange(4):
            case 0:
                here.ended(match_id, draw.randrange(3), draw.randrange(3))
                here.poll()
            case 1:
                here.match(
                    match_id,
                    status=draw.choice(("scheduled", "postponed", "cancelled", "abandoned")),
                )
                here.poll()
            case 2:
                draw.choices(acts, (4, 4, 2, 2, 1))[0](here.id_of(match_id))
            case 3:
                here.settle()
                right(here)
    here.settle()
    right(here)

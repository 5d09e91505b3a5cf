"""Notices of a league's draft: its date, its begin, whose turn it is, autopilot, and its end.

They follow from the state before and after an act, and from the events between. A key names the
cause, so that a worker that repeats a settlement notifies once. Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import update

from app.core.db import db
from app.draft_leagues.drafts import events, words
from app.draft_leagues.drafts.events import Event
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.drafts.order import pick_label
from app.draft_leagues.drafts.rules import Draft, Pick
from app.draft_leagues.franchises.services import teams
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import TeamRules
from app.fantasy.notices.models import Notice
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Words
from app.fantasy.standings.models import League

KIND = "draft"
SOON = timedelta(hours=1)  # before the draft, when members are reminded


@dataclass(frozen=True)
class NotifiedTurn:
    """Whose turn it is. Of the same franchise it is another one if its clock starts again."""

    franchise: int
    number: int
    started_at: datetime | None


@dataclass(frozen=True)
class DraftBefore:
    """What a draft was before an act."""

    turn: NotifiedTurn | None
    autopilots: frozenset[int]
    picks: Mapping[int, Pick]


@dataclass(frozen=True)
class EventOfMember:
    """An event of an act, and who did it; None for the clock."""

    event: Event
    by_member_id: int | None


def before_act(draft: Draft) -> DraftBefore:
    """What `write` compares with."""
    return DraftBefore(_turn_of(draft), frozenset(draft.autopilots), dict(draft.picks))


@dataclass(frozen=True)
class DraftAct:
    """A draft after an act, and what led to it. `name_of`: of footballers."""

    row: DraftRow
    draft: Draft
    before: DraftBefore
    happened: Sequence[EventOfMember]
    members: Mapping[int, int | None]
    name_of: Callable[[str], str]


def write(act: DraftAct, now: datetime) -> None:
    """Store the notices that follow from an act on a league's draft."""
    league = db.session.get_one(League, act.row.league_id)
    turn = _turn_of(act.draft)
    if turn != act.before.turn and act.before.turn is not None:
        _end_turn(act, act.before.turn, now)
    rows = [*_of_events(act, league), *_of_turn(act, league, turn), *_of_autopilots(act, league)]
    notify(rows, now)


def announce(league: League, row: DraftRow, time_zone: str, now: datetime) -> None:
    """Tell every member that the draft room is open, or that its date changed."""
    say = words.planned(league.name, row.starts_at, time_zone)
    key = f"planned:{now:%Y%m%d%H%M%S}"
    members = [team.member_id for team in teams(league.id)]
    notify([_notice(row, member, key, say) for member in members if member is not None], now)


def remind(row: DraftRow, members: Iterable[int | None], time_zone: str, now: datetime) -> None:
    """Remind the members of a draft that begins within an hour; again changes nothing."""
    if row.league_id is None or row.starts_at is None:
        return
    say = words.soon(row.name, row.starts_at, time_zone)
    key = f"soon:{row.starts_at.timestamp():.0f}"
    notify([_notice(row, member, key, say) for member in members if member is not None], now)


def _of_events(act: DraftAct, league: League) -> Iterator[NewNotice]:
    everybody = [member for member in act.members.values() if member is not None]
    for happened in act.happened:
        match happened.event:
            case events.Started():
                say = words.begun(league.name)
                yield from (_notice(act.row, member, "begun", say) for member in everybody)
            case events.Drawn():
                names = {team.number: team.name for team in teams(league.id)}
                order = [names.get(number, f"Team {number}") for number in act.draft.plan.order]
                say = words.drawn(league.name, order)
                yield from (_notice(act.row, member, "drawn", say) for member in everybody)
            case events.Completed():
                yield from _of_end(act, league, everybody)
            case events.Picked() | events.Replaced() | events.Undone():
                yield from _of_correction(act, league, happened)


def _of_end(act: DraftAct, league: League, members: Sequence[int]) -> Iterator[NewNotice]:
    rules = db.session.get_one(TeamRules, league.team_rules_id)
    is_rookie_draft = act.draft.plan.is_rookie_draft
    say = words.over(
        league.name,
        is_best_ball=format_named(rules.format).is_best_ball,
        is_rookie_draft=is_rookie_draft,
    )
    path = f"/leagues/{league.slug}/roster" if is_rookie_draft else f"/team/{league.team_rules_id}"
    for member in members:
        yield NewNotice.of(member, KIND, f"draft:{act.row.id}:over", say, path)


def _of_correction(act: DraftAct, league: League, happened: EventOfMember) -> Iterator[NewNotice]:
    """What the commissioner did to a pick, for whoever owns it. Not in a draft typed in."""
    if act.draft.plan.kind == "offline":
        return
    event, before = happened.event, act.before.picks
    cause = "corrected"
    match event:
        case events.Picked() if event.by == "commissioner" or _ran_out(act, event):
            pick = act.draft.picks[event.number]
            say_picked = words.picked_for
            if event.by != "commissioner":
                say_picked, cause = words.clock_ran_out, f"ran-out:{league.id}"
            say = say_picked(league.name, _label(act.draft, pick), act.name_of(event.footballer_id))
        case events.Replaced() if event.number in before:
            pick = before[event.number]
            say = words.replaced(
                league.name,
                _label(act.draft, pick),
                act.name_of(pick.footballer_id),
                act.name_of(event.footballer_id),
            )
        case events.Undone() if undone_picks := before.keys() - act.draft.picks.keys():
            pick = before[max(undone_picks)]
            say = words.taken_back(
                league.name, _label(act.draft, pick), act.name_of(pick.footballer_id)
            )
        case _:
            return
    member = act.members.get(pick.franchise)
    if member is not None and member != happened.by_member_id:
        key = f"{cause}:{event.at.timestamp():.3f}:{pick.number}"
        yield _notice(act.row, member, key, say)


def _ran_out(act: DraftAct, picked: events.Picked) -> bool:
    """Whether somebody was picked because a clock ran out, and not by an autopilot."""
    return picked.by == "automatic" and picked.franchise not in act.before.autopilots


def _of_turn(act: DraftAct, league: League, turn: NotifiedTurn | None) -> Iterator[NewNotice]:
    draft = act.draft
    if turn is None or turn == act.before.turn or turn.franchise in draft.autopilots:
        return
    member = act.members.get(turn.franchise)
    if member is None or draft.plan.kind == "offline":
        return
    what = (
        "Nominate a player"
        if draft.plan.is_auction
        else f"Pick {pick_label(len(draft.plan.order), turn.number)}"
    )
    say = words.your_turn(league.name, what, draft.deadline, draft.plan.time_zone)
    yield _notice(act.row, member, _turn_key(turn), say)


def _of_autopilots(act: DraftAct, league: League) -> Iterator[NewNotice]:
    by = {
        happened.event.franchise: happened.by_member_id
        for happened in act.happened
        if isinstance(happened.event, events.Autopilot)
    }
    for franchise in act.draft.autopilots.keys() - act.before.autopilots:
        member, since = act.members.get(franchise), act.draft.autopilots[franchise]
        if franchise in act.draft.vacated:
            continue  # nobody is there to be told
        if member is None or since is None or by.get(franchise) == member:
            continue
        say = words.autopilot(league.name, is_by_commissioner=franchise in by)
        yield _notice(act.row, member, f"autopilot:{since.timestamp():.0f}", say)


def _turn_of(draft: Draft) -> NotifiedTurn | None:
    if draft.status != "running" or draft.on_turn is None or draft.lot is not None:
        return None
    return NotifiedTurn(draft.on_turn, draft.expected, draft.turn_started_at)


def _turn_key(turn: NotifiedTurn) -> str:
    started = 0 if turn.started_at is None else turn.started_at.timestamp()
    return f"turn:{turn.number}:{started:.3f}"


def _end_turn(act: DraftAct, turn: NotifiedTurn, now: datetime) -> None:
    """Mark the notice of a turn that is over as read, so that only the present one is new."""
    member = act.members.get(turn.franchise)
    db.session.execute(
        update(Notice)
        .where(
            Notice.member_id == member,
            Notice.key == f"draft:{act.row.id}:{_turn_key(turn)}",
            Notice.read_at.is_(None),
        )
        .values(read_at=now),
        execution_options={"synchronize_session": False},
    )


def _label(draft: Draft, pick: Pick) -> str:
    if draft.plan.is_auction:
        return f"bought for {pick.price}"
    return f"pick {pick_label(len(draft.plan.order), pick.number)}"


def _notice(row: DraftRow, member_id: int, key: str, say: Words) -> NewNotice:
    return NewNotice.of(member_id, KIND, f"draft:{row.id}:{key}", say, f"/drafts/{row.id}")

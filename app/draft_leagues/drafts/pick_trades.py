"""Picks of a draft that is on: which can still be traded, and what a trade does to the draft."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.drafts import events
from app.draft_leagues.drafts.desk import Desk, load_state
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.drafts.order import pick_label
from app.draft_leagues.drafts.rules import Draft
from app.fantasy.market.models import Season
from app.fantasy.rosters.rules import PickKey, PickMove


def state_of(league_id: int) -> Draft | None:
    """The league's draft as it is; None if nobody has planned one."""
    row = db.session.scalar(select(DraftRow).where(DraftRow.league_id == league_id))
    return load_state(row) if row is not None else None


def used_picks(draft: Draft, season: int) -> dict[PickKey, str]:
    """The picks that cannot be traded any more, each with a sentence that says why."""
    size = len(draft.plan.order)
    used = {}
    for slot in draft.slots:
        label = pick_label(size, slot.number)
        if slot.number in draft.picks:
            used[season, slot.round, slot.original] = f"Pick {label} has been made. Remove it."
        elif slot == draft.slot:
            used[season, slot.round, slot.original] = (
                f"Pick {label} is on the clock. Trade a later one."
            )
    return used


def reversal_refusals(desk: Desk, picks: Sequence[PickMove]) -> list[Refusal]:
    """Why picks cannot go back to whom they were traded from: they have been used meanwhile."""
    season = db.session.get_one(Season, desk.row.season_id).season
    used = used_picks(desk.draft, season)
    return [Refusal("pick_used", "picks", used[pick.key]) for pick in picks if pick.key in used]


def trade(desk: Desk, picks: Sequence[PickMove]) -> None:
    """Give the picks of this draft to their new owners. Only the caller commits."""
    season = db.session.get_one(Season, desk.row.season_id).season
    for pick in picks:
        if pick.season == season:
            at = desk.moment(desk.now)
            event = events.Traded(at, pick.round, pick.original_franchise, pick.to_franchise)
            desk.append(event)
    desk.store()

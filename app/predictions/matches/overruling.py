"""Applies standing decisions of operators to a provider's values of a match (decision 0077). Pure.

Decisions are made in decisions/services.py. A provider's row is interpreted in values.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from app.predictions.models import Match, MatchAct
from app.predictions.statuses import (
    ABANDONED,
    ENDED,
    NOT_DEFINED,
    OPEN,
    POSTPONED,
    has_begun,
    normalised,
)
from app.predictions.statuses import VOID as VOID_FATE

VOID, REDATE, MERGE = "void", "redate", "merge"


class View(msgspec.Struct, frozen=True):
    """The provider's values of a match that a decision can overrule."""

    status: str
    fate: str | None
    kickoff: datetime | None
    finished_at: datetime | None


FIELDS = View.__struct_fields__


def provided(match: Match) -> View:
    """Return the provider's values of the match."""
    if match.overruled is not None:
        return msgspec.convert(match.overruled, View)
    return View(match.status, match.fate, match.kickoff, match.finished_at)


def stored_values(match: Match) -> dict[str, Any]:
    """Return the provider's last values, as input for `decided` without a new row."""
    facts = {name: getattr(match, name) for name in ("provider_status", "home_score", "away_score")}
    return facts | msgspec.structs.asdict(provided(match))


def as_provided(match: Match) -> Match:
    """Return the match without any decision: the row itself, or a copy that is in no session."""
    if match.overruled is None:
        return match
    values = {column.key: getattr(match, column.key) for column in Match.__table__.columns}
    return Match(**values | msgspec.structs.asdict(provided(match)))


def decided(
    match: Match, values: Mapping[str, Any], acts: Sequence[MatchAct], now: datetime
) -> dict[str, Any]:
    """Return the columns of the match under the standing decisions.

    Args:
        match: The stored match.
        values: The provider's values by column; at least those of a View, the status word and the
            score.
        acts: The standing decisions. Without any, the provider's values are returned.
        now: The current time.
    """
    view = View(**{name: values[name] for name in FIELDS})
    if not acts:
        return {**values, "overruled": None}
    effective = msgspec.structs.asdict(view)
    for act in sorted(acts, key=lambda act: act.kind != REDATE):
        if act.kind == REDATE:
            effective |= _redated(match, values, act, now)
        else:
            effective |= {"status": NOT_DEFINED, "fate": VOID_FATE, "finished_at": None}
    return {**values, **effective, "overruled": msgspec.to_builtins(view)}


def _redated(
    match: Match, values: Mapping[str, Any], act: MatchAct, now: datetime
) -> dict[str, Any]:
    assert act.kickoff is not None  # guaranteed by a constraint
    is_to_come = act.kickoff > now
    changes: dict[str, Any] = {"kickoff": act.kickoff}
    if values["fate"] == POSTPONED or (
        values["fate"] == ABANDONED and (is_to_come or _is_postponed(values))
    ):
        return changes | {"status": OPEN, "fate": None}
    is_playable = values["status"] != ENDED and values["fate"] is None
    has_score = (values["home_score"], values["away_score"])
    if is_to_come and is_playable and has_begun(values["provider_status"], *has_score):
        # It has begun before its new kickoff, so guesses lock as soon as we notice.
        is_locked = match.kickoff is not None and match.kickoff <= now
        changes["kickoff"] = match.kickoff if is_locked else now
    return changes


def _is_postponed(values: Mapping[str, Any]) -> bool:
    return normalised(values["provider_status"])[1] == POSTPONED


def contradiction(values: Mapping[str, Any], acts: Sequence[MatchAct]) -> str:
    """Return a sentence on how the provider contradicts a decision; empty if it does not."""
    for act in acts:
        if act.kind == VOID and values["status"] == ENDED:
            return (
                f"The provider reports {values['home_score']}–{values['away_score']}, but the "
                "match was voided."
            )
        if act.kind == REDATE and values["kickoff"] not in (act.kickoff, act.kickoff_before):
            moment = f"{values['kickoff']:%Y-%m-%d %H:%M %Z}" if values["kickoff"] else "no kickoff"
            return (
                f"The provider reports {moment}, but the match was moved to "
                f"{act.kickoff:%Y-%m-%d %H:%M %Z}."
            )
    return ""

"""What becomes of a match while an operator's decision about it stands (decision 0077).

Pure. Deciding is in decisions/services.py, what the provider's row means by itself in values.py.
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
    """What the provider says of a match, as far as a decision overrules it."""

    status: str
    fate: str | None
    kickoff: datetime | None
    finished_at: datetime | None


FIELDS = View.__struct_fields__


def provided(match: Match) -> View:
    """What the provider says of the match."""
    if match.overruled is not None:
        return msgspec.convert(match.overruled, View)
    return View(match.status, match.fate, match.kickoff, match.finished_at)


def stored_values(match: Match) -> dict[str, Any]:
    """What the provider said last, for `decided` when no row of the provider is at hand."""
    facts = {name: getattr(match, name) for name in ("provider_status", "home_score", "away_score")}
    return facts | msgspec.structs.asdict(provided(match))


def as_provided(match: Match) -> Match:
    """The match without any decision: the row itself, or a copy that belongs to no session."""
    if match.overruled is None:
        return match
    values = {column.key: getattr(match, column.key) for column in Match.__table__.columns}
    return Match(**values | msgspec.structs.asdict(provided(match)))


def decided(
    match: Match, values: Mapping[str, Any], acts: Sequence[MatchAct], now: datetime
) -> dict[str, Any]:
    """The columns of the match under the standing decisions.

    Args:
        match: As it is stored.
        values: Columns by what the provider says; at least those of a View, its word and its score.
        acts: The standing decisions; without any, what the provider says is returned.
        now: When.
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
    assert act.kickoff is not None  # a constraint says so
    is_to_come = act.kickoff > now
    changes: dict[str, Any] = {"kickoff": act.kickoff}
    if values["fate"] == POSTPONED or (
        values["fate"] == ABANDONED and (is_to_come or _is_postponed(values))
    ):
        return changes | {"status": OPEN, "fate": None}
    is_playable = values["status"] != ENDED and values["fate"] is None
    has_score = (values["home_score"], values["away_score"])
    if is_to_come and is_playable and has_begun(values["provider_status"], *has_score):
        # It begins before its new time: guesses lock when that is first seen.
        is_locked = match.kickoff is not None and match.kickoff <= now
        changes["kickoff"] = match.kickoff if is_locked else now
    return changes


def _is_postponed(values: Mapping[str, Any]) -> bool:
    return normalised(values["provider_status"])[1] == POSTPONED


def contradiction(values: Mapping[str, Any], acts: Sequence[MatchAct]) -> str:
    """What the provider says against a decision, as a sentence; empty if it agrees."""
    for act in acts:
        if act.kind == VOID and values["status"] == ENDED:
            return (
                f"The provider gives it the result {values['home_score']}:{values['away_score']}, "
                "but it was voided."
            )
        if act.kind == REDATE and values["kickoff"] not in (act.kickoff, act.kickoff_before):
            moment = f"{values['kickoff']:%Y-%m-%d %H:%M %Z}" if values["kickoff"] else "no kickoff"
            return (
                f"The provider gives it {moment}, but it was re-dated to "
                f"{act.kickoff:%Y-%m-%d %H:%M %Z}."
            )
    return ""

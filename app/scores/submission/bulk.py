"""Scores that a trusted game server sends for its players, many in one call.

The server vouches for them, so they need no attempts. Everything else is as for players' own scores
(submit.py): each score is checked, limited, judged by the anti-cheat and counted once by itself,
identified by its player and the server's own id. So a call may be cut off anywhere and sent again:
scores that were accepted answer with their first outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.core.refusals import Refusal
from app.scores.events import event_id
from app.scores.standings import mode_boards
from app.scores.submission import arrivals, submit
from app.scores.submission.claims import LIMITED, Claim, Origin, Outcome, Refused, Unavailable
from app.scores.submission.known import known_of


@dataclass(frozen=True)
class ServerScore:
    """One score, in the mode's smallest unit.

    `attempt_id` is the server's own id of it. `achieved_at` is timezone-aware, or None for now; the
    score counts in the windows of that moment.
    """

    player_id: UUID
    attempt_id: UUID
    score: int
    achieved_at: datetime | None = None
    origin: Origin = field(default_factory=Origin)
    subscore: int | None = None
    metadata: Mapping[str, Any] | None = None
    session_id: str | None = None


# the most that two servers' clocks differ; up to this much ahead of ours counts as now
AHEAD = timedelta(seconds=60)
_LIMITED = "This player sent too many scores this minute. Send it again after retry_after seconds."


def submit_bulk(
    mode: Mode,
    integrator_id: int,
    scores: Sequence[ServerScore],
    now: datetime,
    *,
    wait: bool = False,
) -> list[Outcome]:
    """Submit the scores and return one outcome per score, in the same order, without ranks.

    Only for the integrator's own players: a member's scores are the member's to send. `wait` is
    that of submit.submit_all, for up to MOST_CLAIMS scores.
    """
    ids = [event_id(score.player_id, score.attempt_id) for score in scores]
    known = known_of({score.player_id for score in scores}, ids)
    own_players = {
        player.id for player in known.players.values() if player.integrator_id == integrator_id
    }
    archived = _archived_windows(mode, scores, now)
    outcomes: dict[int, Outcome] = {}
    counted: dict[int, tuple[UUID, UUID]] = {}
    for number, (score, event) in enumerate(zip(scores, ids, strict=True)):
        if score.player_id not in own_players:
            text = "player_id is not a player of this integrator. Register the player first."
            outcomes[number] = Refused((Refusal("unknown_player", "player_id", text),))
        elif event in known.decided:
            continue
        elif (refused := _time_fault(mode, score.achieved_at, archived, now)) is not None:
            outcomes[number] = Refused((refused,))
        else:
            counted[number] = (score.player_id, event)
    for number, seconds in arrivals.above_limit(counted, now).items():
        outcomes[number] = Unavailable(seconds, _LIMITED, LIMITED)
    taken = [number for number in range(len(scores)) if number not in outcomes]
    if taken:
        claims = [_claim(mode, scores[number], now) for number in taken]
        outcomes |= zip(
            taken, submit.submit_all(claims, Origin(), now, wait=wait, known=known), strict=True
        )
    return [outcomes[number] for number in range(len(scores))]


def _is_in_time(mode: Mode, at: datetime, now: datetime) -> bool:
    return now - timedelta(hours=mode.late_hours) <= at <= now + AHEAD


def _archived_windows(mode: Mode, scores: Sequence[ServerScore], now: datetime) -> set[str]:
    """Return the archived windows in which some of these scores would count.

    A window that is archived right after this is left out when the score is written
    (mode_boards.Boards), and the score still counts in the others.
    """
    moments = {
        score.achieved_at
        for score in scores
        if score.achieved_at and _is_in_time(mode, score.achieved_at, now)
    }
    names = {window.window_id for at in moments for window in mode_boards.windows_of(mode, at)}
    return catalogue.archived_among(mode, names)


def _time_fault(
    mode: Mode, at: datetime | None, archived: set[str], now: datetime
) -> Refusal | None:
    if at is None:
        return None
    if at > now + AHEAD:
        text = (
            f"achieved_at is in the future. This server's time is {now.isoformat()}. Send "
            "the score once the game is over."
        )
        return Refusal("from_the_future", "achieved_at", text)
    if not _is_in_time(mode, at, now):
        text = (
            f"achieved_at is more than {mode.late_hours} hours ago, the limit of this mode "
            "(late_hours)."
        )
        return Refusal("too_late", "achieved_at", text)
    closed = sorted(
        window.window_id
        for window in mode_boards.windows_of(mode, at)
        if window.window_id in archived
    )
    if closed:
        text = f"achieved_at is in {closed[0]}, which is archived. Scores no longer count there."
        return Refusal("window_archived", "achieved_at", text)
    return None


def _claim(mode: Mode, score: ServerScore, now: datetime) -> Claim:
    at = None if score.achieved_at is None else min(score.achieved_at, now).astimezone(UTC)
    return Claim(
        *(mode, score.player_id, score.attempt_id, "", score.score),
        trusted=True,
        origin=score.origin,
        achieved_at=at,
        subscore=score.subscore,
        metadata=score.metadata,
        session_id=score.session_id,
    )

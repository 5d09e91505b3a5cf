"""The ranks in the answers to accepted scores, looked up together per window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from app.boards.windows.rules import InvalidWindowError
from app.core.db.autocommit import begin_autocommit
from app.scores.standings import mode_boards, waiting_scores
from app.scores.submission.claims import Claim, Outcome, Submitted

Status = Literal["accepted", "held", "committed"]


@dataclass(frozen=True)
class Taken:
    """An accepted score whose rank is not known yet; `counts_at` is its moment."""

    status: Status
    claim: Claim
    counts_at: datetime
    is_hidden: bool
    is_repeated: bool = False


def with_ranks(outcomes: Sequence[Outcome | Taken | None]) -> list[Outcome | Exception | None]:
    """Replace each Taken by its answer with the player's rank; the order stays.

    Committed scores have the rank that the player holds; accepted and held ones the provisional
    rank that the player would have. Scores that a server vouches for have none. An
    InvalidWindowError stands for a score of a window that its mode no longer has. In modes that
    update their boards in batches, committed scores also have the moment of the next update.
    """
    answers: dict[int, Submitted | InvalidWindowError] = {}
    by_window: dict[tuple[UUID, str, bool], dict[int, Taken]] = defaultdict(dict)
    windows: dict[tuple[UUID, datetime], str] = {}  # scores of a call often share a moment
    for number, taken in enumerate(outcomes):
        if not isinstance(taken, Taken):
            continue
        moment = (taken.claim.mode.id, taken.counts_at)
        if moment not in windows:
            windows[moment] = mode_boards.first_window(taken.claim.mode, taken.counts_at)
        window_id = windows[moment]
        is_committed = taken.status == "committed"
        if taken.claim.trusted and not (is_committed and taken.claim.mode.update_seconds):
            answers[number] = _without_rank(taken, window_id)
        else:
            by_window[taken.claim.mode.id, window_id, is_committed][number] = taken
    if by_window:
        begin_autocommit()
    for (_, window_id, is_committed), in_window in by_window.items():
        look_up = _standings if is_committed else _provisional_ranks
        try:
            answers |= look_up(window_id, in_window)
        except InvalidWindowError as error:
            answers |= dict.fromkeys(in_window, error)
    return [
        answers[number] if isinstance(outcome, Taken) else outcome
        for number, outcome in enumerate(outcomes)
    ]


def _without_rank(taken: Taken, window_id: str, on_boards_at: datetime | None = None) -> Submitted:
    return Submitted(
        taken.status,
        taken.claim.player_id,
        window_id,
        rank=None,
        repeated=taken.is_repeated,
        on_boards_at=on_boards_at,
    )


def _standings(window_id: str, in_window: Mapping[int, Taken]) -> dict[int, Submitted]:
    players = {taken.claim.player_id for taken in in_window.values()}
    mode = next(iter(in_window.values())).claim.mode
    # Read before the standings: after an update in between, nothing would say that they are old.
    updates = waiting_scores.updates_of(mode.id, window_id, players) if mode.update_seconds else {}
    ranked = [taken.claim.player_id for taken in in_window.values() if not taken.claim.trusted]
    standings = (
        mode_boards.standings(mode, window_id, ranked, _hidden_players(in_window)) if ranked else {}
    )
    answers = {}
    for number, taken in in_window.items():
        on_boards_at = updates.get(taken.claim.player_id)
        if taken.claim.trusted:
            answers[number] = _without_rank(taken, window_id, on_boards_at)
            continue
        standing = standings[taken.claim.player_id]
        answers[number] = Submitted(
            status="committed",
            player_id=taken.claim.player_id,
            window_id=window_id,
            rank=standing.rank,
            total_ranked=standing.total,
            effective_score=standing.score,
            repeated=taken.is_repeated,
            effective_subscore=standing.subscore,
            on_boards_at=on_boards_at,
        )
    return answers


def _provisional_ranks(window_id: str, in_window: Mapping[int, Taken]) -> dict[int, Submitted]:
    scores = {
        number: (taken.claim.player_id, taken.claim.score, taken.claim.subscore)
        for number, taken in in_window.items()
    }
    mode = next(iter(in_window.values())).claim.mode
    hidden = _hidden_players(in_window)
    ranks = mode_boards.provisionals(mode, window_id, set(scores.values()), hidden)
    return {
        number: Submitted(
            status=taken.status,
            player_id=taken.claim.player_id,
            window_id=window_id,
            rank=ranks[scores[number]],
            repeated=taken.is_repeated,
        )
        for number, taken in in_window.items()
    }


def _hidden_players(in_window: Mapping[int, Taken]) -> set[UUID]:
    """Return the shadow banned players, who see themselves on the board."""
    return {taken.claim.player_id for taken in in_window.values() if taken.is_hidden}

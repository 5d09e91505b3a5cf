"""What members and the commissioner may do now: refusals. Pure.

A pick or bid counts if the server received it before the clock ran out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.core.refusals import Refusal
from app.draft_leagues.drafts.places import positions_of
from app.draft_leagues.drafts.rules import Draft, Lot

NOT_RUNNING = Refusal(
    "not_running", "", "The draft hasn't started. The commissioner will start it."
)
OVER = Refusal("draft_over", "", "The draft is over. The board shows every pick.")
PAUSED = Refusal("paused", "", "The draft is paused. The commissioner can resume it.")
NOT_YOUR_TURN = Refusal("not_your_turn", "", "It's not your turn. Add the player to your queue.")
MOVED_ON = Refusal(
    "moved_on",
    "",
    "The draft has moved on since your page loaded. Check the board and pick again.",
)
TIME_OVER = Refusal(
    "time_over", "", "The clock ran out before your pick arrived, so you get an auto-pick."
)
BID_TOO_LATE = Refusal(
    "time_over", "", "Bidding closed before your bid arrived. Bid on the next player."
)
TAKEN = Refusal("taken", "footballer", "That player is already taken. Choose another one.")
UNKNOWN = Refusal(
    "unknown_footballer",
    "footballer",
    "That player is not in this draft. Choose one from the list.",
)
NO_PLACE = Refusal(
    "no_place",
    "footballer",
    "No lineup slot takes that position. Choose a player at another position.",
)
NOTHING_TO_UNDO = Refusal(
    "nothing_to_undo", "", "There is no pick to undo. Keepers can't be undone."
)
NO_LOT = Refusal("no_lot", "", "No player is up for bids. Wait for the next nomination.")
LOT_OPEN = Refusal("lot_open", "", "Bidding is open on another player. Nominate after the sale.")
FULL = Refusal("full", "", "Your roster is full. You can't add another player.")


@dataclass(frozen=True)
class Wish:
    """Who asks for which footballer.

    Attributes:
        position: The footballer's; None if they are not in the draft.
        expected: The number of the pick that the page showed; None for whichever is next.
        is_commissioner: Whether the commissioner asks on somebody's behalf.
    """

    franchise: int
    footballer_id: str
    position: str | None
    expected: int | None = None
    is_commissioner: bool = False


def state_refusal(draft: Draft, *, allows_pause: bool = False) -> Refusal | None:
    """Why nobody can pick or bid now."""
    if draft.status == "waiting":
        return NOT_RUNNING
    if draft.status == "completed":
        return OVER
    if draft.status == "paused" and not allows_pause:
        return PAUSED
    return None


def footballer_refusal(draft: Draft, footballer_id: str, position: str | None) -> Refusal | None:
    """Why nobody can take this footballer."""
    if position is None:
        return UNKNOWN
    if footballer_id in draft.taken:
        return TAKEN
    if position not in positions_of(draft.plan.starters):
        return NO_PLACE
    return None


def pick_refusal(draft: Draft, wish: Wish, now: datetime) -> Refusal | None:
    """Why this pick or nomination cannot be made. The commissioner may pick during a pause."""
    if refusal := state_refusal(draft, allows_pause=wish.is_commissioner):
        return refusal
    if draft.lot is not None:
        return LOT_OPEN
    if wish.expected is not None and wish.expected != draft.expected:
        return MOVED_ON
    if wish.franchise != draft.on_turn:
        return NOT_YOUR_TURN
    if draft.deadline is not None and now >= draft.deadline and not wish.is_commissioner:
        return TIME_OVER
    return footballer_refusal(draft, wish.footballer_id, wish.position)


def bid_refusal(
    draft: Draft, franchise: int, maximum: int, now: datetime, *, expected: int | None = None
) -> Refusal | None:
    """Why this bid cannot be made."""
    if refusal := state_refusal(draft):
        return refusal
    if draft.lot is None:
        return NO_LOT
    if expected is not None and expected != draft.expected:
        return MOVED_ON
    if draft.deadline is not None and now >= draft.deadline:
        return BID_TOO_LATE
    return _amount_refusal(draft, draft.lot, franchise, maximum)


def _amount_refusal(draft: Draft, lot: Lot, franchise: int, maximum: int) -> Refusal | None:
    standing = lot.standing
    if not draft.open_places(franchise):
        return FULL
    if franchise == standing.leader:
        mine = lot.maximum_of(franchise) or 0
        if maximum <= mine:
            text = f"You lead with a maximum bid of {mine}. Raise it or wait."
            return Refusal("bid_too_low", "maximum", text)
    elif maximum <= standing.price:
        text = f"The price is {standing.price}. Bid at least {standing.price + 1}."
        return Refusal("bid_too_low", "maximum", text)
    return maximum_refusal(draft.most(franchise), maximum)


def maximum_refusal(most: int, maximum: int) -> Refusal | None:
    """Why this maximum is no bid."""
    if maximum < 1:
        return Refusal("bid_too_low", "maximum", "Bid at least 1.")
    if maximum > most:
        text = f"Bid at most {most}. You need 1 for each of your other open spots."
        return Refusal("bid_too_high", "maximum", text)
    return None


def replace_refusal(
    draft: Draft, number: int, footballer_id: str, position: str | None
) -> Refusal | None:
    """Why the footballer of this pick cannot be replaced by another one."""
    if draft.status == "completed":
        return OVER
    pick = draft.picks.get(number)
    if pick is None or pick.by == "keeper":
        return Refusal(
            "no_such_pick", "number", "That pick hasn't been made yet. Choose an earlier one."
        )
    return footballer_refusal(draft, footballer_id, position)


def undo_refusal(draft: Draft) -> Refusal | None:
    """Why nothing can be taken back."""
    if draft.status == "completed":
        return OVER
    if draft.lot is None and draft.undoable() is None:
        return NOTHING_TO_UNDO
    return None

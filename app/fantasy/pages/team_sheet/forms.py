"""What a request to the editor says: the draft, the act on it, and the filters of the market."""

from __future__ import annotations

from dataclasses import dataclass

from werkzeug.datastructures import MultiDict

from app.core.http.pagination import page_number
from app.core.http.sent_numbers import form_number
from app.core.numbers import typed_decimal, whole_number
from app.fantasy.market.formats import Format
from app.fantasy.market.listing import SORTS, Filter
from app.fantasy.sheets.fitting import Fitting, positions_of
from app.fantasy.sheets.transfers import CurrentSheet, Draft

LONGEST_SEARCH = 60
MOST_TENTHS = 100_000  # of a price in millions
PAIR = 2


@dataclass(frozen=True)
class EditorForm:
    """The fields of the editor, unchecked.

    Attributes:
        args: The fields of the query or of the form.
        roster: The format that the team plays by.
        is_search: The market alone is asked for, so its name, position and page count.
    """

    args: MultiDict[str, str]
    roster: Format
    is_search: bool = False

    def draft(self, current: CurrentSheet | None) -> Draft:
        """Return the draft of the request; without one the saved sheet, or an empty one."""
        size = len(self.roster.places)
        if self.has_draft:
            picks = [pick.replace("\x00", "") for pick in self.args.getlist("p")][:size]
            return Draft(
                (*picks, *[""] * (size - len(picks))),
                self._place("captain"),
                self._place("vice_captain"),
                form_number("version", values=self.args) or 0,
            )
        return saved_draft(self.roster, current)

    @property
    def has_draft(self) -> bool:
        """Whether the request holds a draft."""
        return "p" in self.args

    @property
    def fills(self) -> bool:
        """Whether the empty places are to be filled by a sensible team."""
        return "fill" in self.args

    @property
    def chosen(self) -> int:
        """The place to be filled, from 1; 0 for none."""
        return self._place("choose")

    @property
    def drop(self) -> int:
        """The place to be emptied, from 1; 0 for none."""
        return self._place("drop")

    @property
    def swap(self) -> tuple[int, int] | None:
        """The two places, from 1, whose players are to change places; None for no valid pair."""
        places = [self._number(text) for text in self.args.get("swap", "").split("-")]
        return (places[0], places[1]) if len(places) == PAIR and all(places) else None

    @property
    def pick(self) -> str:
        """The footballer to be picked; empty for nobody."""
        return self.args.get("pick", "").replace("\x00", "")

    @property
    def is_affordable_only(self) -> bool | None:
        """Whether players who are too dear are left out; None before the member has chosen."""
        return "affordable" in self.args if self.is_search else None

    @property
    def saved_version(self) -> str | None:
        """The version that the member has just saved."""
        return self.args.get("saved")

    @property
    def position(self) -> str:
        """The position that the market is filtered by."""
        return self.args.get("position", "") if self.is_search else ""

    @property
    def max_price(self) -> str:
        """The highest price as it was typed."""
        return self.args.get("max", "")

    def market_filter(self, chosen: int, fits: Fitting) -> tuple[Filter, str]:
        """Return the filter, and what is wrong with it in a sentence."""
        max_tenths, fault = _read_price(self.max_price)
        slot = self.roster.places[chosen - 1] if chosen else None
        sort = self.args.get("sort", "points")
        search, page = "", 1
        if self.is_search:
            search = self.args.get("q", "").replace("\x00", "").strip()[:LONGEST_SEARCH]
            page = page_number(self.args)
        market_filter = Filter(
            search=search,
            positions=positions_of(self.position, fits, self.roster, slot),
            without=() if self.position else fits.left_out,
            club_id=self.args.get("club", "").replace("\x00", ""),
            max_price=max_tenths,
            sort=sort if sort in SORTS else "points",
            page=page,
        )
        return market_filter, fault

    def _place(self, name: str) -> int:
        """A place of the format by the last value of the field; 0 for none or no valid one."""
        values = self.args.getlist(name)
        return self._number(values[-1]) if values else 0

    def _number(self, text: str) -> int:
        return whole_number(text, most=len(self.roster.places)) or 0


def saved_draft(roster: Format, current: CurrentSheet | None) -> Draft:
    """Return the saved sheet as a draft; without one an empty draft."""
    if current is None:
        return Draft(("",) * len(roster.places), 0, 0, 0)
    return Draft(current.picks, current.captain, current.vice_captain, current.version)


def _read_price(typed: str) -> tuple[int, str]:
    """Read a price in millions as tenths, 0 for none, and what is wrong with it."""
    if not typed.strip():
        return 0, ""
    tenths = typed_decimal(typed, 10)
    if tenths is None or not 0 <= tenths < MOST_TENTHS:
        return 0, f"Price up to: {typed.strip()!r} should be a number of millions like 9.5."
    return tenths, ""

"""What a request to the editor says: the draft, the act on it, and the filters of the market."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, SelectMultipleField, StringField

from app.core.http.pagination import page_number
from app.core.http.sent_numbers import form_number
from app.core.numbers import typed_decimal, whole_number
from app.fantasy.market.formats import Format
from app.fantasy.market.listing import SORTS, Filter
from app.fantasy.pages.team_sheet.words import read_draft
from app.fantasy.sheets.fitting import Fitting, positions_of
from app.fantasy.sheets.transfers import CurrentSheet, Draft

LONGEST_SEARCH = 60
MOST_TENTHS = 100_000  # of a price in millions
PAIR = 2


def _text(value: Any) -> str:
    return str(value or "").replace("\x00", "")


def _list(values: Any) -> list[str]:
    return [_text(value) for value in values or []]


def _values(label: str) -> SelectMultipleField:
    """A field that may be sent several times; the rules of the sheet judge its values."""
    return SelectMultipleField(label, choices=[], validate_choice=False, filters=[_list])


class SheetForm(FlaskForm):
    """The fields of the editor, in an address or in the form that is saved.

    Of the places (`choose`, `drop`) the last value counts, because a button sends its place after
    the hidden field.
    """

    p = _values("Players")
    captain = _values("Captain")
    vice_captain = _values("Vice-captain")
    choose = _values("Slot to fill")
    drop = _values("Slot to empty")
    swap = StringField("Slots to swap", filters=[_text])
    pick = StringField("Player to pick", filters=[_text])
    replace = StringField("Slot and its new player", filters=[_text])
    make_captain = _values("New captain")
    make_vice_captain = _values("New vice-captain")
    fill = BooleanField("Fill empty slots")
    saved = StringField("Saved version", filters=[_text])
    base = StringField("Team that was changed", filters=[_text])
    q = StringField("Name", filters=[_text])
    position = StringField("Position", filters=[_text])
    club = StringField("Club", filters=[_text])
    max = StringField("Price up to", filters=[_text])
    sort = StringField("Sort by", default="points", filters=[_text])
    affordable = BooleanField("Only players I can afford")


@dataclass(frozen=True)
class EditorForm:
    """What the fields of the editor say, unchecked.

    Attributes:
        args: The fields of the query or of the form.
        roster: The format that the team plays by.
        is_search: The market alone is asked for, so its name, position and page count.
    """

    args: MultiDict[str, str]
    roster: Format
    is_search: bool = False

    @cached_property
    def fields(self) -> SheetForm:
        """The fields as they were sent."""
        # it reads addresses too, and every POST is checked before its view
        return SheetForm(formdata=self.args, meta={"csrf": False})

    def draft(self, current: CurrentSheet | None) -> Draft:
        """Return the draft of the request; without one the saved sheet, or an empty one."""
        size = len(self.roster.places)
        if self.has_draft:
            picks = self.fields.p.data[:size]
            return Draft(
                (*picks, *[""] * (size - len(picks))),
                self._place("captain"),
                self._place("vice_captain"),
                form_number("version", values=self.args) or 0,
                read_draft(self.fields.base.data, size),
            )
        return saved_draft(self.roster, current)

    @property
    def has_draft(self) -> bool:
        """Whether the request holds a draft."""
        return bool(self.fields.p.raw_data)

    @property
    def fills(self) -> bool:
        """Whether the empty places are to be filled by a sensible team."""
        return bool(self.fields.fill.raw_data)

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
        places = [self._number(text) for text in self.fields.swap.data.split("-")]
        return (places[0], places[1]) if len(places) == PAIR and all(places) else None

    @property
    def pick(self) -> str:
        """The footballer to be picked; empty for nobody."""
        return str(self.fields.pick.data)

    @property
    def replacement(self) -> tuple[int, str] | None:
        """The place, from 1, and the footballer who replaces its player; None for no valid pair."""
        place, _, footballer_id = self.fields.replace.data.partition("-")
        number = self._number(place)
        return (number, footballer_id) if number and footballer_id else None

    @property
    def new_captain(self) -> int:
        """The place of the new captain, from 1; 0 for none."""
        return self._place("make_captain")

    @property
    def new_vice_captain(self) -> int:
        """The place of the new vice-captain, from 1; 0 for none."""
        return self._place("make_vice_captain")

    @property
    def is_act(self) -> bool:
        """Whether an act changes players or captains of the draft."""
        players = self.pick or self.drop or self.swap or self.replacement
        return bool(players or self.new_captain or self.new_vice_captain)

    @property
    def is_affordable_only(self) -> bool | None:
        """Whether players who are too dear are left out; None before the member has chosen."""
        return bool(self.fields.affordable.raw_data) if self.is_search else None

    @property
    def saved_version(self) -> str:
        """The version that the member has just saved; empty for none."""
        return str(self.fields.saved.data)

    @property
    def position(self) -> str:
        """The position that the market is filtered by."""
        return str(self.fields.position.data) if self.is_search else ""

    @property
    def max_price(self) -> str:
        """The highest price as it was typed."""
        return str(self.fields.max.data)

    def market_filter(self, chosen: int, fits: Fitting) -> tuple[Filter, str]:
        """Return the filter, and what is wrong with it in a sentence."""
        max_tenths, fault = _read_price(self.max_price)
        slot = self.roster.places[chosen - 1] if chosen else None
        sort = self.fields.sort.data
        search, page = "", 1
        if self.is_search:
            search = self.fields.q.data.strip()[:LONGEST_SEARCH]
            page = page_number(self.args)
        market_filter = Filter(
            search=search,
            positions=positions_of(self.position, fits, self.roster, slot),
            without=() if self.position else fits.left_out,
            club_id=self.fields.club.data,
            max_price=max_tenths,
            sort=sort if sort in SORTS else "points",
            page=page,
        )
        return market_filter, fault

    def _place(self, name: str) -> int:
        """A place of the format by the last value of the field; 0 for none or no valid one."""
        values = self.fields[name].data
        return self._number(values[-1]) if values else 0

    def _number(self, text: str) -> int:
        return whole_number(text, most=len(self.roster.places)) or 0


def saved_draft(roster: Format, current: CurrentSheet | None) -> Draft:
    """Return the saved sheet as a draft; without one an empty draft."""
    if current is None:
        return Draft(("",) * len(roster.places), 0, 0, 0)
    return current.draft


def _read_price(typed: str) -> tuple[int, str]:
    """Read a price in millions as tenths, 0 for none, and what is wrong with it."""
    if not typed.strip():
        return 0, ""
    tenths = typed_decimal(typed, 10)
    if tenths is None or not 0 <= tenths < MOST_TENTHS:
        return 0, f"Price up to: {typed.strip()!r} should be a number of millions, e.g. 9.5."
    return tenths, ""

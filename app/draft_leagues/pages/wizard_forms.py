"""The forms of the wizard: one per step, each for one part of the settings.

A form shows the settings as they are (`show`) and reads the settings that it asks for (`read`). It
knows no rules: setting_reading.py reads values, setting_faults.py says what is impossible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec
from flask_wtf import FlaskForm
from wtforms import BooleanField, RadioField, SelectField, SelectMultipleField, StringField
from wtforms.validators import Optional
from wtforms.widgets import CheckboxInput, ListWidget

from app.accounts.team_colour_field import team_colour_field
from app.core.refusals import Refusal
from app.draft_leagues import setting_words as words
from app.draft_leagues.places import TITLES
from app.draft_leagues.setting_faults import playoff_rounds
from app.draft_leagues.setting_reading import Raw, read_part
from app.draft_leagues.settings import (
    DraftLeagueSettings,
    DraftSettings,
    NightPause,
    RosterSettings,
    StarterCount,
)
from app.fantasy.scoring.rules import PRESETS as SCORINGS

PICK_SECONDS = (30, 45, 60, 90, 120, 180, 300, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400)
BID_SECONDS = (5, 10, 15, 20, 30, 60, 3_600, 28_800, 86_400)
# What three selects can say about the weeks of the play-offs' rounds.
ROUND_LENGTHS = {
    "single": "One week each",
    "long_final": "Two-week final",
    "double": "Two weeks each",
}
TIE_BREAK_PLACES = ("first", "second", "third")
_FURTHER_TIE_BREAKS = {"": "None", **words.TIE_BREAKS}
Read = DraftLeagueSettings | list[Refusal]


def _choice(label: str, choices: Mapping[Any, str], description: str = "") -> SelectField:
    return SelectField(label, choices=dict(choices), description=description, validate_choice=False)


def _seconds(label: str, values: Sequence[int], description: str = "") -> SelectField:
    choices = {str(each): words.duration_words(each) for each in values}
    return _choice(label, choices, description)


class StepForm(FlaskForm):
    """A step of the wizard.

    `part`: the attribute of the settings that it changes; '' for the settings themselves.
    """

    part: ClassVar[str] = ""

    def show(self, settings: DraftLeagueSettings) -> None:
        """Fill the fields from the settings."""
        part = getattr(settings, self.part) if self.part else settings
        for name in self.own_fields:
            value = getattr(part, name, None)
            if isinstance(value, (bool, list)):
                self[name].data = value
            elif isinstance(value, tuple):
                self[name].data = list(value)
            else:
                self[name].data = "" if value is None else str(value)

    def read(self, settings: DraftLeagueSettings) -> Read:
        """The settings with what the form asks for, or everything that is wrong with its fields."""
        part = getattr(settings, self.part) if self.part else settings
        changed = read_part(part, self.values(), self.part)
        if isinstance(changed, list):
            return changed
        return self._replaced(settings, changed) if self.part else changed

    def values(self) -> dict[str, Raw]:
        """What was typed, by the names of the settings."""
        return {name: self[name].data for name in self.own_fields}

    @property
    def own_fields(self) -> list[str]:
        """The fields that are settings, in their order."""
        return [name for name in self._fields if name != "csrf_token"]

    def field_of(self, path: str) -> str:
        """The field that shows a refusal of this setting; '' if another step has it."""
        prefix = f"{self.part}." if self.part else ""
        name = path.removeprefix(prefix)
        return name if path.startswith(prefix) and name in self._fields else ""

    def _replaced(self, settings: DraftLeagueSettings, part: Any) -> DraftLeagueSettings:
        return msgspec.structs.replace(settings, **{self.part: part})


class LeagueStep(StepForm):
    """Teams, scoring and time zone."""

    franchises = StringField("Teams", description="From 2 to 32.")
    scoring = _choice(
        "Scoring",
        {name: rules.title for name, rules in SCORINGS.items() if rules.sport == "football"},
    )
    time_zone = StringField(
        "Time zone", description="For all times in the league, e.g. Europe/Berlin."
    )

    def offer_scoring(self, name: str, title: str) -> None:
        """Add the league's own scoring if it is no preset."""
        if name not in SCORINGS:
            self.scoring.choices = {name: title} | self.scoring.choices


class RosterStep(StepForm):
    """The places of a roster. A field for each kind of starter has the name of its slot."""

    part = "roster"

    bench = StringField("Bench")
    reserve = StringField("Injured reserve", description="For injured or suspended players.")
    taxi = StringField(
        "Taxi squad", description="For dynasty leagues: players you stash for later."
    )
    best_ball = BooleanField("Best ball: your best lineup counts automatically")
    substitutes_come_on = BooleanField(
        "Automatic subs: the bench replaces starters who do not play"
    )

    def show(self, settings: DraftLeagueSettings) -> None:
        """Fill the fields from the settings."""
        super().show(settings)
        counts = {starter.slot: starter.count for starter in settings.roster.starters}
        for slot in TITLES:
            self[slot].data = str(counts.get(slot, 0))

    def read(self, settings: DraftLeagueSettings) -> Read:
        """The settings with these places, or everything that is wrong with the fields."""
        refused: list[Refusal] = []
        starters = []
        for slot in TITLES:
            text = (self[slot].data or "0").strip()
            if text == "0":
                continue
            starter = read_part(StarterCount(slot, 1), {"count": text})
            if isinstance(starter, list):
                refused.append(Refusal("count", slot, "Enter a whole number from 0 to 10."))
            else:
                starters.append(starter)
        roster = read_part(settings.roster, self.values(), self.part)
        if isinstance(roster, list) or refused:
            return [*refused, *(roster if isinstance(roster, list) else [])]
        part: RosterSettings = msgspec.structs.replace(roster, starters=tuple(starters))
        return self._replaced(settings, part)

    @property
    def own_fields(self) -> list[str]:
        """The fields that are settings themselves."""
        return [name for name in super().own_fields if name not in TITLES]


for _slot, _title in TITLES.items():
    _label = _title if _slot == _title.upper() else f"{_title} ({_slot})"
    setattr(RosterStep, _slot, StringField(_label))


class DraftStep(StepForm):
    """How the league drafts."""

    part = "draft"

    kind = RadioField("Type", choices=dict(words.DRAFT_KINDS), validate_choice=False)
    rounds = StringField("Rounds", description="Leave blank to fill the roster.")
    seconds_per_pick = _seconds(
        "Time per pick", PICK_SECONDS, "In an auction, per nomination. Use hours for a slow draft."
    )
    has_night_pause = BooleanField("Pause the clock overnight")
    pause_starts = StringField("Pause begins", description="In the league's time zone, e.g. 22:00.")
    pause_ends = StringField("Pause ends")
    budget = StringField("Auction budget", description="Per team, in whole numbers.")
    seconds_per_bid = _seconds("Time after a bid", BID_SECONDS)

    def show(self, settings: DraftLeagueSettings) -> None:
        """Fill the fields from the settings."""
        super().show(settings)
        pause = settings.draft.night_pause
        self.has_night_pause.data = pause is not None
        hours = pause or NightPause()
        self.pause_starts.data, self.pause_ends.data = hours.starts, hours.ends
        for field, value in (
            (self.seconds_per_pick, settings.draft.seconds_per_pick),
            (self.seconds_per_bid, settings.draft.seconds_per_bid),
        ):
            if str(value) not in field.choices:
                field.choices |= {str(value): words.duration_words(value)}

    def read(self, settings: DraftLeagueSettings) -> Read:
        """The settings with this draft, or everything that is wrong with the fields."""
        draft = read_part(settings.draft, self.values(), self.part)
        pause: NightPause | list[Refusal] | None = None
        if self.has_night_pause.data:
            typed = {"starts": self.pause_starts.data, "ends": self.pause_ends.data}
            pause = read_part(NightPause(), typed)
        refused = draft if isinstance(draft, list) else []
        if isinstance(pause, list):
            refused = [
                *refused,
                *(Refusal(each.code, f"draft.pause_{each.field}", each.text) for each in pause),
            ]
        if refused or isinstance(draft, list) or isinstance(pause, list):
            return refused
        part: DraftSettings = msgspec.structs.replace(draft, night_pause=pause)
        return self._replaced(settings, part)

    def field_of(self, path: str) -> str:
        """The field that shows a refusal of this setting; '' if another step has it."""
        return "pause_ends" if path == "draft.night_pause" else super().field_of(path)

    @property
    def own_fields(self) -> list[str]:
        """The fields that are settings themselves."""
        return [name for name in super().own_fields if "pause" not in name]


class WaiversStep(StepForm):
    """How footballers without a team are claimed."""

    part = "waivers"

    kind = RadioField("Waivers", choices=dict(words.WAIVER_KINDS), validate_choice=False)
    days = SelectMultipleField(
        "Processed on",
        choices=dict(words.DAYS),
        option_widget=CheckboxInput(),
        widget=ListWidget(prefix_label=False),
        validate_choice=False,
    )
    time = StringField("At", description="In the league's time zone, e.g. 09:00.")
    hours_after_drop = StringField("Hours on waivers after a drop")
    budget = StringField("Waiver budget", description="For blind bids, per team and season.")
    least_bid = _choice("Minimum bid", {"0": "0", "1": "1"})
    locks_at_kickoff = BooleanField(
        "After kickoff, players stay on waivers until the first run after the week"
    )


class TradesStep(StepForm):
    """How trades are made."""

    part = "trades"

    review = RadioField("Trade review", choices=dict(words.REVIEWS), validate_choice=False)
    review_hours = StringField("Review period (hours)")
    votes_to_stop = StringField("Votes to stop a trade", description="If the league votes.")
    offer_hours = StringField(
        "Offers expire after (hours)", description="Leave blank for no limit."
    )
    deadline_week = StringField(
        "Trade deadline", description="The last week with trades. Leave blank for none."
    )
    with_picks = BooleanField("Allow trading future picks")
    with_budget = BooleanField("Allow trading waiver budget")


class SeasonStep(StepForm):
    """The regular season and the play-offs."""

    part = "season"

    first_week = StringField(
        "First week", description="Leave blank for the first week after the draft."
    )
    regular_weeks = StringField("Regular season (weeks)")
    divisions = StringField("Divisions", description="0 for none.")
    median_game = BooleanField("Median game: also play the league median each week")
    first_tie_break = _choice("Tiebreaker 1", words.TIE_BREAKS)
    second_tie_break = _choice("Tiebreaker 2", _FURTHER_TIE_BREAKS)
    third_tie_break = _choice("Tiebreaker 3", _FURTHER_TIE_BREAKS)
    playoff_teams = StringField(
        "Playoff teams", description="0 = no playoffs. Division winners are seeded first."
    )
    round_length = _choice("Playoff rounds", ROUND_LENGTHS)
    reseed = BooleanField("Reseed each round")
    lower_bracket = _choice("Consolation bracket", words.LOWER_BRACKETS)

    def show(self, settings: DraftLeagueSettings) -> None:
        """Fill the fields from the settings."""
        super().show(settings)
        chain = [*settings.season.tie_breaks, "", "", ""]
        for place, tie_break in zip(TIE_BREAK_PLACES, chain, strict=False):
            self[f"{place}_tie_break"].data = tie_break
        weeks = settings.season.weeks_per_round
        rounds = playoff_rounds(settings.season.playoff_teams)
        lengths = (name for name in ROUND_LENGTHS if _weeks_per_round(name, rounds) == weeks)
        self.round_length.data = next(lengths, "single")

    def values(self) -> dict[str, Raw]:
        """What was typed, by the names of the settings."""
        chain = [self[f"{place}_tie_break"].data for place in TIE_BREAK_PLACES]
        typed = (self.playoff_teams.data or "").strip()
        teams = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 3 else 0  # noqa: PLR2004
        weeks = _weeks_per_round(self.round_length.data, playoff_rounds(teams))
        return super().values() | {
            "tie_breaks": [each for each in chain if each],
            "weeks_per_round": [str(each) for each in weeks],
        }

    def field_of(self, path: str) -> str:
        """The field that shows a refusal of this setting; '' if another step has it."""
        special = {
            "season.tie_breaks": "first_tie_break",
            "season.weeks_per_round": "round_length",
        }
        return special.get(path) or super().field_of(path)

    @property
    def own_fields(self) -> list[str]:
        """The fields that are settings themselves."""
        derived = {"round_length", *(f"{place}_tie_break" for place in TIE_BREAK_PLACES)}
        return [name for name in super().own_fields if name not in derived]


class KeepersStep(StepForm):
    """Whom a franchise takes into the next season."""

    part = "keepers"

    keeps_all = BooleanField("Keep whole rosters (dynasty)")
    rookie_rounds = StringField(
        "Rookie draft rounds", description="From the second season on. Usually 3 to 5."
    )
    rookies_only = BooleanField("Rookies only, no free agents")
    most = StringField("Keepers per team", description="0 = redraft.")
    rounds_earlier = StringField(
        "Keeper cost (rounds earlier)", description="1 = a pick one round earlier."
    )
    undrafted_round = StringField(
        "Cost of an undrafted keeper (round)", description="Blank = the last round."
    )
    most_seasons = StringField("Max seasons in a row", description="Leave blank for no limit.")
    future_seasons = StringField(
        "Tradable future picks (seasons ahead)", description="From 0 to 3."
    )


STEP_FORMS: Mapping[str, type[StepForm]] = {
    "league": LeagueStep,
    "roster": RosterStep,
    "draft": DraftStep,
    "waivers": WaiversStep,
    "trades": TradesStep,
    "season": SeasonStep,
    "keepers": KeepersStep,
}


def _weeks_per_round(length: str | None, rounds: int) -> tuple[int, ...]:
    if length == "double":
        return (2,) * rounds
    weeks = (1,) * rounds
    return (*weeks[:-1], 2) if length == "long_final" and weeks else weeks


class FoundForm(FlaskForm):
    """A new draft league."""

    name = StringField("League name")
    team_name = StringField("Team name")
    colour = team_colour_field(Optional())
    preset = RadioField(
        "League type",
        choices={name: title for name, (title, _) in words.PRESET_WORDS.items()},
        default="redraft",
        validate_choice=False,
    )
    franchises = StringField("Teams", description="Leave blank for the number above.")
    time_zone = StringField("Time zone")
    access = RadioField(
        "Who can join",
        choices={
            "code": "Invite only: anyone with the link or code",
            "public": "Public: listed for everyone",
        },
        default="code",
        validate_choice=False,
    )

    def read(self, preset: DraftLeagueSettings) -> Read:
        """The preset with this number of teams and time zone, or what is wrong with them.

        Args:
            preset: With the number of teams that a blank field stands for.
        """
        values: dict[str, Raw] = {"time_zone": self.time_zone.data or preset.time_zone}
        if (self.franchises.data or "").strip():
            values["franchises"] = self.franchises.data
        return read_part(preset, values)

"""The forms of leagues. leagues/rules.py finds their faults, which are shown at the fields."""

from __future__ import annotations

from collections.abc import Iterable
from zoneinfo import available_timezones

from flask_wtf import FlaskForm
from wtforms import BooleanField, RadioField, SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import Optional

from app.accounts.team_colour_field import team_colour_field
from app.core.refusals import Refusal
from app.fantasy.leagues import words
from app.fantasy.leagues.rule_setting import LeagueRules
from app.fantasy.leagues.rules import formats_for, read_first_week, read_team_rules
from app.fantasy.leagues.services import NewLeague
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import Gameweek
from app.fantasy.scoring.pairs import formats_for as formats_with
from app.fantasy.scoring.rules import ScoringRules
from app.fantasy.standings.ranking import HEAD_TO_HEAD, TIE_RULES

TEAM_FIELDS = (
    "format",
    "lock",
    "time_zone",
    "deadline",
    "budget",
    "club_limit",
    "free_transfers",
    "bank_limit",
    "transfer_cost",
    "postponed_games",
)
ZONES = sorted(
    name
    for name in available_timezones()
    if "/" in name and not name.startswith(("Etc/", "posix/"))
)


def show_refusals(form: FlaskForm, refused: Iterable[Refusal]) -> list[str]:
    """Put each refusal at its field, and return the texts of those that belong to none."""
    texts = []
    for refusal in refused:
        if refusal.field in form._fields:
            form[refusal.field].errors = [*form[refusal.field].errors, refusal.text]
        else:
            texts.append(refusal.text)
    return texts


def _choice(label: str, description: str = "") -> SelectField:
    return SelectField(label, description=description, validate_choice=False, choices=[])


class RulesForm(FlaskForm):
    """The rules of a league."""

    rules = _choice(
        "Scoring", "You can set every value on the scoring page until the first deadline."
    )
    mode = _choice("Standings")
    ties = _choice("Tiebreaker")
    first_week = _choice("Counts from", "Earlier weeks do not count.")
    format = _choice("Roster format", "Choose scoring that covers every position.")
    budget = StringField("Budget", description="Millions, e.g. 100.0.")
    club_limit = StringField("Max players per club")
    lock = _choice("Lineups lock")
    deadline = StringField(
        "Earlier deadline",
        description="A weekday and a time, e.g. THU 18:00. Leave blank for the weekly deadline.",
    )
    time_zone = StringField("Time zone", description="For deadlines, e.g. Europe/Berlin.")
    free_transfers = StringField("Free transfers per week", description="Leave blank for no limit.")
    bank_limit = StringField("Max free transfers banked")
    transfer_cost = StringField("Cost of an extra transfer (points)")
    postponed_games = _choice(
        "Games moved to another week",
        "Games moved within the week always count. Cancelled games never do.",
    )

    def offer(self, sport: str, current: ScoringRules | None = None) -> None:
        """Fill the choices.

        Each scoring names the formats that it goes with (`data-formats`), so that the page offers
        only matching pairs.

        Args:
            sport: Decides which presets and formats there are.
            current: The scoring of the league, which may be no preset.
        """
        scorings = list(words.presets_for(sport))
        if current and current.name not in {preset.name for preset in scorings}:
            scorings.insert(0, current)
        self.rules.choices = [
            SelectChoice(
                scoring.name,
                scoring.title,
                {"data-formats": " ".join(option.name for option in formats_with(scoring))},
            )
            for scoring in scorings
        ]
        self.mode.choices = words.MODE_WORDS
        self.ties.choices = [
            SelectChoice(name, rule.words, {"data-mode": HEAD_TO_HEAD} if rule.is_between else None)
            for name, rule in TIE_RULES.items()
        ]
        self.format.choices = {option.name: option.title for option in formats_for(sport)}
        self.lock.choices = words.LOCK_WORDS
        self.postponed_games.choices = words.POSTPONED_WORDS

    def offer_weeks(self, weeks: Iterable[Gameweek], *, named: str = "") -> None:
        """Fill the gameweeks. `named`: the words for no choice; empty if one has to be made."""
        unchosen = {"": named} if named else {}
        self.first_week.choices = unchosen | {str(week.week): week.name for week in weeks}

    def show(self, choice: TeamRulesChoice) -> None:
        """Fill the fields from a choice of team rules."""
        self.format.data, self.lock.data, self.time_zone.data = (
            choice.format,
            choice.lock,
            choice.time_zone,
        )
        self.deadline.data = choice.deadline or ""
        self.budget.data = f"{choice.budget // 10}.{choice.budget % 10}"
        self.club_limit.data, self.bank_limit.data = str(choice.club_limit), str(choice.bank_limit)
        self.free_transfers.data = (
            "" if choice.free_transfers is None else str(choice.free_transfers)
        )
        self.transfer_cost.data = words.plain_points(choice.transfer_cost)
        self.postponed_games.data = choice.postponed_games

    def team_values(self) -> dict[str, str]:
        """Return the fields of the team rules as they were typed."""
        return {name: self[name].data or "" for name in TEAM_FIELDS}

    def read(
        self, sport: str, weeks: Iterable[Gameweek], current: ScoringRules | None = None
    ) -> LeagueRules | list[Refusal]:
        """Return the rules that the form asks for, or everything that is wrong with its choices.

        The mode of the table and the tie rule are not checked. See `offer` for the arguments.
        """
        refused: list[Refusal] = []
        teams = read_team_rules(self.team_values(), sport)
        if isinstance(teams, list):
            refused += teams
        scorings = [*words.presets_for(sport), *([current] if current else [])]
        if self.rules.data not in {scoring.name for scoring in scorings}:
            refused.append(Refusal("rules", "rules", "Choose scoring from the list."))
        first_week = read_first_week(self.first_week.data or "", [week.week for week in weeks])
        if isinstance(first_week, Refusal):
            refused.append(first_week)
        if refused or isinstance(teams, list) or isinstance(first_week, Refusal):
            return refused
        return LeagueRules(
            teams, self.rules.data, self.mode.data or "", self.ties.data or "", first_week
        )


class LeagueForm(RulesForm):
    """A new league."""

    name = StringField("League name")
    team_name = StringField("Team name")
    colour = team_colour_field(Optional())
    access = RadioField(
        "Who can join",
        choices={
            "code": "Invite only: anyone with the link or code",
            "public": "Public: listed for everyone",
        },
        default="code",
        validate_choice=False,
    )

    def league(self, season_id: int, rules: LeagueRules) -> NewLeague:
        """Return the league that the form asks for."""
        return NewLeague(
            self.name.data or "",
            self.team_name.data or "",
            season_id,
            rules.teams,
            rules.scoring,
            rules.mode,
            rules.ties,
            is_public=self.access.data == "public",
            first_week=rules.first_week,
        )


class TeamNameForm(FlaskForm):
    """The name of a team."""

    team_name = StringField("Team name")


class JoinForm(TeamNameForm):
    """The team with which somebody joins."""

    colour = team_colour_field(Optional())


class CodeForm(FlaskForm):
    """An invite code."""

    code = StringField("Invite code", description="Eight letters and digits, e.g. KQ7M-24XA.")


class NameForm(FlaskForm):
    """The name of a league."""

    name = StringField("League name", description="The league's link does not change.")


class AccessForm(FlaskForm):
    """Who may join a league: `public` for everybody, anything else for those with the code."""

    access = StringField("Who can join")


class ScoringChoiceForm(FlaskForm):
    """What the page of the scoring sends beside its numbers, which have a field for each statistic.

    `base` is the preset that they began from, `rules` the scoring when the page was loaded, and
    `sure` confirms unusual numbers.
    """

    base = StringField("Preset")
    rules = StringField("Scoring")
    sure = BooleanField("I'm sure")


class MemberForm(FlaskForm):
    """The member who becomes commissioner."""

    member = RadioField("New commissioner", validate_choice=False, choices=[])


class AdjustForm(FlaskForm):
    """An adjustment of points, which are signed and have up to three decimals."""

    member = RadioField("Member", validate_choice=False, choices=[])
    gameweek = _choice("Week")
    points = StringField("Points", description="Use a minus sign to deduct, e.g. -2.5.")
    reason = TextAreaField(
        "Reason", description="Every member can see it wherever the points are shown."
    )


class ReasonForm(FlaskForm):
    """The reason for a change of the scoring rules."""

    reason = TextAreaField(
        "Reason", description="Every member can see it wherever the scoring is shown."
    )

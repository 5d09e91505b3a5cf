"""The forms of leagues. What is wrong in them is said by leagues/rules.py, at the field."""

from __future__ import annotations

from collections.abc import Iterable
from zoneinfo import available_timezones

from flask_wtf import FlaskForm
from wtforms import RadioField, SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice

from app.core.refusals import Refusal
from app.fantasy.leagues import words
from app.fantasy.leagues.rules import formats_for
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
    """Puts each at its field; returns those that belong to none."""
    rest = []
    for refusal in refused:
        if refusal.field in form._fields:
            form[refusal.field].errors = [*form[refusal.field].errors, refusal.text]
        else:
            rest.append(refusal.text)
    return rest


def _choice(label: str, description: str = "") -> SelectField:
    return SelectField(label, description=description, validate_choice=False, choices=[])


class RulesForm(FlaskForm):
    """The rules of a league."""

    rules = _choice(
        "Scoring", "Every number of it can be set until the first deadline, on the scoring page."
    )
    mode = _choice("Table")
    ties = _choice("Equal teams")
    first_week = _choice("Counts from", "Earlier gameweeks are in no table of the league.")
    format = _choice("Places of a team", "Only scoring that counts for every place goes with them.")
    budget = StringField("Budget", description="Millions, for example 100.0.")
    club_limit = StringField("Footballers of one club, at most")
    lock = _choice("Team sheets lock")
    deadline = StringField(
        "Earlier deadline",
        description="A weekday and a time, like THU 18:00. Empty: the gameweek's own deadline.",
    )
    time_zone = StringField("Time zone", description="Of the deadline, for example Europe/Berlin.")
    free_transfers = StringField("Free transfers a gameweek", description="Empty: without limit.")
    bank_limit = StringField("Free transfers saved up, at most")
    transfer_cost = StringField("Points each further transfer costs")
    postponed_games = _choice(
        "Games moved to another gameweek",
        "Within their own gameweek they always count. A cancelled game never does.",
    )

    def offer(self, sport: str, current: ScoringRules | None = None) -> None:
        """Fills the choices; `current`: scoring of the league's own, which no preset is.

        Each scoring names the formats that it goes with; with the form's own one it can be chosen
        at once.
        """
        presets = words.presets_for(sport)
        own = [current] if current and current.name not in {one.name for one in presets} else []
        self.rules.choices = [
            SelectChoice(
                one.name,
                one.title,
                {"data-formats": " ".join(team_format.name for team_format in formats_with(one))},
            )
            for one in [*own, *presets]
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
        """`named`: what no choice is called; '' where one has to be made."""
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


class LeagueForm(RulesForm):
    """A new league."""

    name = StringField("Name of the league")
    team_name = StringField("Name of your team")
    access = RadioField(
        "Who may join",
        choices={
            "code": "Whoever has the invite code",
            "public": "Everybody: it is listed as public",
        },
        default="code",
        validate_choice=False,
    )


class JoinForm(FlaskForm):
    """The name of the team with which somebody joins."""

    team_name = StringField("Name of your team")


class CodeForm(FlaskForm):
    """An invite code."""

    code = StringField(
        "Invite code", description="Eight letters and digits, for example KQ7M-24XA."
    )


class NameForm(FlaskForm):
    """The name of a league."""

    name = StringField("Name of the league", description="Its address stays.")


class MemberForm(FlaskForm):
    """The member who becomes commissioner."""

    member = RadioField("New commissioner", validate_choice=False, choices=[])


class AdjustForm(FlaskForm):
    """`points`: signed, with up to three decimals."""

    member = RadioField("Member", validate_choice=False, choices=[])
    gameweek = _choice("Gameweek")
    points = StringField(
        "Points", description="Points to give, or with a minus to take: 3 or -2.5."
    )
    reason = TextAreaField(
        "Reason", description="Every member reads it wherever the number is shown."
    )


class ReasonForm(FlaskForm):
    """The reason for a change of the scoring rules."""

    reason = TextAreaField(
        "Reason", description="Every member reads it wherever the numbers are shown."
    )

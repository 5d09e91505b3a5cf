"""The console's forms: registering a game, and entering one event without JavaScript."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from flask_wtf import FlaskForm
from wtforms import BooleanField, HiddenField, IntegerField, SelectField, StringField, TextAreaField
from wtforms.validators import InputRequired

from app.core.json_decoding import InvalidJsonError, plain_json
from app.record.events import EVENT_TYPES, InvalidEventError, Snap, type_of
from app.record.rules.football.rulebook import STANDARD, chapter_names
from scorer_console.entry.rules import LAST_WEEK, SEASON_TYPES
from scorer_console.entry.services import Registration
from scorer_console.games.registering import RegisteredAs

ZONES = (
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Phoenix",
    "America/Los_Angeles",
    "America/Toronto",
    "America/Mexico_City",
    "America/Sao_Paulo",
    "Europe/London",
    "Europe/Dublin",
    "Europe/Madrid",
    "Europe/Berlin",
    "Australia/Melbourne",
    "UTC",
)


def add_faults(form: FlaskForm, faults: Mapping[str, str]) -> None:
    """Attach each sentence to its field."""
    for name, fault in faults.items():
        form[name].errors = [*form[name].errors, fault]


class RegisterGameForm(FlaskForm):
    """A game to be registered."""

    home = SelectField("Home club", [InputRequired("Choose the home club.")])
    away = SelectField("Visiting club", [InputRequired("Choose the visiting club.")])
    kickoff = StringField(
        "Kickoff, local time",
        [InputRequired("Enter day and time of the kickoff.")],
        render_kw={"type": "datetime-local"},
    )
    zone = StringField(
        "Time zone of the stadium",
        [InputRequired("Choose the time zone.")],
        default=ZONES[0],
        render_kw={"list": "zones"},
    )
    week = IntegerField(
        "Week", [InputRequired(f"Enter the week as a number from 1 to {LAST_WEEK}.")], default=1
    )
    season_type = SelectField("Season type", choices=SEASON_TYPES, default="REG")
    competition = StringField(
        "Competition",
        description="Determines the rules: nfl, ncaa or one of your own.",
        default="nfl",
    )
    game_id = StringField(
        "Game ID", description="Leave blank to use day and clubs, e.g. 20190908-SF-TB."
    )

    def offer(self, clubs: list[tuple[str, str]]) -> None:
        """Offer the clubs, with none chosen at first."""
        self.home.choices = self.away.choices = {"": "Choose"} | dict(clubs)

    def registration(self) -> Registration:
        """The game as it was typed."""
        return Registration(
            game_id=self.game_id.data or "",
            home=self.home.data,
            away=self.away.data,
            kickoff=self.kickoff.data or "",
            zone=self.zone.data or "",
            week=self.week.data,
            season_type=self.season_type.data,
            competition=self.competition.data or "nfl",
        )


class DeclareForm(FlaskForm):
    """Declares that a game is not played as planned, or moves it.

    games/desk_views.py checks it.
    """

    what = SelectField(
        "New status",
        choices={
            "": "Choose",
            "moved": "New kickoff",
            "postponed": "Postponed, no date yet",
            "suspended": "Suspended, continues later",
            "cancelled": "Cancelled",
            "forfeited": "Forfeited",
            "scheduled": "Played after all",
        },
        validate_choice=False,
    )
    kickoff = StringField(
        "New kickoff, local time",
        description="Only with a new kickoff.",
        render_kw={"type": "datetime-local"},
    )
    zone = StringField("Time zone of the stadium", default=ZONES[0], render_kw={"list": "zones"})
    reason = StringField(
        "Reason", description="Kept in the record and, with your name, in the audit log."
    )
    take_over = BooleanField("Even while someone is scoring the game")


class ClubForm(FlaskForm):
    """A club to be registered; registering.py checks it."""

    short = StringField(
        "Short name",
        description="2 to 8 letters or digits, shown on boards and play lists, e.g. HRB",
    )
    name = StringField("Name")
    nickname = StringField("Nickname", description="Optional.")
    colour = StringField("Colour", default="#224466", render_kw={"type": "color"})


class RegistrationForm(FlaskForm):
    """Corrects how a game is registered; registering.py refuses changes that are not possible."""

    away_id = SelectField("Visiting club", validate_choice=False)
    home_id = SelectField("Home club", validate_choice=False)
    competition = StringField(
        "Competition", description="Determines the rules: nfl, ncaa or one of your own."
    )
    why = StringField("What was wrong", description="Kept in the audit log with your name.")

    def offer(self, clubs: list[tuple[str, str]]) -> None:
        """Offer the clubs."""
        self.home_id.choices = self.away_id.choices = dict(clubs)

    def correction(self) -> RegisteredAs:
        """The registration as it was typed."""
        return RegisteredAs(
            self.home_id.data or "", self.away_id.data or "", (self.competition.data or "").strip()
        )


class PracticeForm(FlaskForm):
    """The clubs of a practice game. Its page has a form with the same fields, hence the ids."""

    away = SelectField("Visiting club", id="practice-away", validate_choice=False)
    home = SelectField("Home club", id="practice-home", validate_choice=False)
    competition = SelectField(
        "Rules",
        id="practice-competition",
        description="Use the rules of the current season.",
        default=STANDARD,
        validate_choice=False,
    )

    def offer(self, clubs: list[tuple[str, str]]) -> None:
        """Offer the clubs, two different ones at first, and the rules of each competition."""
        self.competition.choices = chapter_names()
        self.home.choices = self.away.choices = dict(clubs)
        if len(clubs) > 1:
            self.away.data, self.home.data = (
                self.away.data or clubs[1][0],
                self.home.data or clubs[0][0],
            )


class EventForm(FlaskForm):
    """The form for one event without JavaScript.

    `key` comes with the page, so that sending the same page twice enters the event once.
    """

    key = HiddenField()
    type = SelectField(
        "Kind of event",
        choices={name: name.replace("_", " ") for name in EVENT_TYPES},
        default=type_of(Snap),
    )
    body = TextAreaField(
        "What happened, as JSON",
        description=(
            'The fields of the wire schema without "type"; players by id, or null when nobody can '
            "be named."
        ),
    )

    take_over = BooleanField("Take the game over if someone else is scoring it", name="over")

    def entry_key(self) -> str:
        """The key that came with the page, or a new one if the page had none.

        Raises InvalidEventError if it is no UUID.
        """
        try:
            return str(UUID(self.key.data)) if self.key.data else str(uuid4())
        except ValueError as error:
            raise InvalidEventError(
                "This page is outdated. Reload it and enter the event again."
            ) from error

    def read(self) -> dict[str, Any]:
        """The event as plain values whose fields are not checked yet.

        Raises InvalidEventError if it is no JSON object.
        """
        try:
            fields = plain_json((self.body.data or "{}").encode())
        except InvalidJsonError as error:
            raise InvalidEventError(
                f"This is not JSON: {error}. Put it between braces, names in quotes."
            ) from error
        if not isinstance(fields, dict):
            raise InvalidEventError('This must be an object, e.g. {"period": 1, "phase": "start"}.')
        return fields | {"type": self.type.data}

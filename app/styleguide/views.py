"""The style guide. It exists only where no production setting is on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Blueprint, abort, current_app
from flask.typing import ResponseReturnValue
from wtforms import (
    BooleanField,
    Form,
    PasswordField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
)
from wtforms.fields.choices import SelectChoice
from wtforms.widgets import CheckboxInput, ListWidget

from app.accounts.rules import ROLES
from app.core.http.access import PUBLIC, audience
from app.core.http.responses import respond
from app.fantasy.pages.footballers import trend_chart
from app.record.pages.game_page import status_words
from app.styleguide.samples import boards, drafts, games, leagues, talk, tournaments
from app.talk.forms import PostForm
from app.talk.page import text_html
from app.talk.rules import LONGEST_POST

blueprint = Blueprint("styleguide", __name__)


@dataclass(frozen=True)
class SampleMember:
    """The member who looks at the samples: one with every role."""

    id: int = leagues.ME
    display_name: str = "Dana"
    is_authenticated: bool = True

    def has_role(self, *_roles: str) -> bool:
        """Whether the member has one of the roles."""
        return True


class _SampleForm(Form):
    team_name = StringField("Team name", description="Up to 40 letters.")
    league = SelectField(
        "League",
        choices=[SelectChoice("row", "The Press Row"), SelectChoice("derby", "Front Page Derby")],
    )
    password = PasswordField("Password")
    scoring = RadioField(
        "Scoring", choices=[SelectChoice("ppr", "Full PPR"), SelectChoice("half", "Half PPR")]
    )
    color = RadioField(
        "Team color",
        choices=[SelectChoice(str(number), f"Color {number}") for number in range(1, 17)],
    )
    days = SelectMultipleField(
        "Waivers run on",
        choices=[SelectChoice("tue", "Tuesday"), SelectChoice("wed", "Wednesday")],
        option_widget=CheckboxInput(),
        widget=ListWidget(prefix_label=False),
    )
    roles = SelectMultipleField(
        "Roles",
        choices=[SelectChoice(role, role.capitalize()) for role in ROLES],
        option_widget=CheckboxInput(),
        widget=ListWidget(prefix_label=False),
    )
    stay = BooleanField("Stay signed in")


def _forms() -> dict[str, Any]:
    form = _SampleForm(
        data={
            "team_name": "Deadline Dozen",
            "scoring": "half",
            "color": "3",
            "days": ["wed"],
            "roles": ["scorer"],
            "stay": True,
        }
    )
    wrong = _SampleForm(prefix="wrong-", data={"team_name": "W" * 41})
    wrong.team_name.errors = ["This name has 41 letters. Use at most 40."]
    wrong.password.errors = ["This password is too common. Try four unrelated words."]
    wrong.scoring.errors = ["Choose how your league scores."]
    wrong.color.errors = ["Choose a color."]
    wrong.days.errors = ["Choose at least one day."]
    wrong.stay.errors = ["Accept this to continue."]
    return {"form": form, "wrong": wrong}


def _posts() -> dict[str, Any]:
    post_form = PostForm(formdata=None)
    wrong = PostForm(formdata=None, prefix="wrong-")
    wrong.text.errors = ["This message has 1,004 characters. Use at most 1,000."]
    return {"post_form": post_form, "wrong_post_form": wrong, "longest": LONGEST_POST}


@blueprint.get("/styleguide")
@audience(PUBLIC)
def show() -> ResponseReturnValue:
    """What every page is made of: text, buttons, forms, notes, crests and tables."""
    return _guide("show", **_forms())


@blueprint.get("/styleguide/games")
@audience(PUBLIC)
def game_parts() -> ResponseReturnValue:
    """The components of games: boards, drives, plays and statistics."""
    return _guide("games", samples=games)


@blueprint.get("/styleguide/leagues")
@audience(PUBLIC)
def league_parts() -> ResponseReturnValue:
    """The components of leagues: tables, matchups, lineups and swings."""
    return _guide("leagues", samples=leagues, swing=games.SWING, chart=trend_chart)


@blueprint.get("/styleguide/drafts")
@audience(PUBLIC)
def draft_parts() -> ResponseReturnValue:
    """The components of draft leagues: the board, trades, waivers and playoffs."""
    return _guide("drafts", samples=drafts)


@blueprint.get("/styleguide/talk")
@audience(PUBLIC)
def talk_parts() -> ResponseReturnValue:
    """The components of talk: posts, reactions and the composer."""
    return _guide("talk", samples=talk, text_html=text_html, **_posts())


@blueprint.get("/styleguide/tournaments")
@audience(PUBLIC)
def tournament_parts() -> ResponseReturnValue:
    """The components of tournaments: matches, picks and places."""
    return _guide("tournaments", samples=tournaments)


@blueprint.get("/styleguide/staff")
@audience(PUBLIC)
def staff_parts() -> ResponseReturnValue:
    """The components of boards, moderation and operations."""
    now = datetime(2026, 9, 13, 17, 0, tzinfo=UTC)
    moments = (None, *(now - timedelta(seconds=ago) for ago in (12, 480, 90_000)))
    return _guide("staff", samples=boards, now=now, moments=moments)


def _guide(name: str, **values: Any) -> ResponseReturnValue:
    if current_app.config["PRESSBOX"].production:
        abort(404)
    return respond(
        f"styleguide/{name}.html",
        viewer=SampleMember(),
        league=leagues.LEAGUE,
        games=games.GAMES,
        game=games.GAME,
        status_words=status_words,
        **values,
    )

"""How pages look for a member: theme, time format, the color of their teams, and the avatar.

Cached pages are shared, so these are placeholders there that each response fills in.
"""

from __future__ import annotations

from flask import Flask
from markupsafe import Markup

from app.accounts.crests import HUES, crest_symbol, side_colours, team_colour
from app.accounts.member_pictures import team_colours
from app.accounts.models import Member
from app.accounts.rules import initials
from app.core.db import db
from app.core.page_cache.pages import add_fillings
from app.core.page_cache.placeholders import is_rendering_for_everybody, placeholder
from app.core.viewer import current_user

APPEARANCE, AVATAR = "appearance", "avatar"


def choose(member: Member, theme: str, time_format: str, colour: int) -> None:
    """Store the member's theme, time format and team color, for all of their devices. Commits.

    Args:
        member: Who chooses.
        theme: One of rules.THEMES.
        time_format: One of rules.TIME_FORMATS.
        colour: 1 to 16.
    """
    member.theme, member.time_format, member.colour = theme, time_format, colour
    db.session.commit()


def avatar(name: str, colour: int) -> Markup:
    """The member's initials on the color of their teams. The name stands beside it for readers."""
    return Markup(
        '<span class="avatar" data-team="{}" aria-hidden="true">{}</span>',
    ).format(colour, initials(name))


def _root_attributes() -> Markup:
    """The attributes of the page's root: the theme and the time format, if not the system's.

    A visitor follows the system.
    """
    if not current_user.is_authenticated:
        return Markup()
    if is_rendering_for_everybody():
        return placeholder(APPEARANCE)
    return Markup(_filled_appearance())  # noqa: S704 (values that a constraint allows)


def _filled_appearance() -> str:
    chosen = {"data-theme": current_user.theme, "data-clock": current_user.time_format}
    return "".join(f' {name}="{value}"' for name, value in chosen.items() if value != "system")


def _own_avatar() -> Markup:
    """The avatar of the member who is signed in."""
    if is_rendering_for_everybody():
        return placeholder(AVATAR)
    colour = team_colour(current_user.id, current_user.colour)
    return avatar(current_user.display_name, colour)


def _own_crest_symbol(name: str, symbol_id: str) -> Markup:
    """The crest of the signed-in member's team of this name, as a symbol with this id."""
    symbol = crest_symbol(f"member:{current_user.get_id()}", initials(name), symbol_id)
    return Markup(symbol)  # noqa: S704 (initials are letters and digits, or a question mark)


def init_app(app: Flask) -> None:
    """Register what templates call."""
    app.add_template_global(_root_attributes, "root_attributes")
    app.add_template_global(_own_avatar, "own_avatar")
    app.add_template_global(team_colours)
    app.add_template_global(side_colours)
    app.add_template_global(_own_crest_symbol, "own_crest_symbol")
    app.jinja_env.globals["crest_colors"] = HUES
    app.add_template_filter(initials)
    fillings = {APPEARANCE: _filled_appearance, AVATAR: lambda: str(_own_avatar())}
    add_fillings(app, fillings)

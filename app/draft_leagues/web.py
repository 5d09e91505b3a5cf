"""The web side of draft leagues."""

from __future__ import annotations

from flask import Flask

from app.core.serving import add_stream_source
from app.core.viewer import current_user
from app.draft_leagues import setting_words
from app.draft_leagues.drafts import act_views as draft_acts
from app.draft_leagues.drafts import views as drafts
from app.draft_leagues.drafts.hub import HUB, DraftHub
from app.draft_leagues.franchises.services import draft_league, runs_league, teams
from app.draft_leagues.models import FINISHED
from app.draft_leagues.pages import (
    commissioner_acts,
    commissioner_views,
    import_views,
    keeper_views,
    ranking_views,
    roster_views,
    season_views,
    trade_block_views,
    trade_views,
    transaction_views,
    waiver_views,
    wizard_views,
)
from app.draft_leagues.pages.invitation import invitation_of, taken_over_words
from app.draft_leagues.season_facts import scoring_titles
from app.draft_leagues.setup.services import settings_for

PAGES = (
    wizard_views,
    import_views,
    keeper_views,
    ranking_views,
    roster_views,
    season_views,
    trade_block_views,
    trade_views,
    transaction_views,
    waiver_views,
    commissioner_views,
    commissioner_acts,
    drafts,
    draft_acts,
)


def runs_draft_league(league_id: int) -> bool:
    """Whether the viewer is the commissioner or a co-commissioner of the draft league."""
    return current_user.is_authenticated and runs_league(league_id, current_user.id)


def draft_phase(league_id: int) -> str:
    """The phase of a draft league (models.py); empty for a league of the salary-cap game."""
    league = draft_league(league_id)
    return league.phase if league is not None else ""


def draft_lines(league_id: int) -> list[setting_words.Line]:
    """All settings of a draft league in words."""
    settings = settings_for(league_id)
    return setting_words.lines(settings, scoring_titles(settings))


def champion_of(league_id: int) -> str | None:
    """The name of the team that won a draft league whose season is over; None until then."""
    won = draft_league(league_id)
    if won is None or won.phase != FINISHED:
        return None
    return next((team.name for team in teams(league_id) if team.number == won.champion), None)


def init_app(app: Flask) -> None:
    """Register the pages, and the streams of draft rooms."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
    app.jinja_env.globals["runs_draft_league"] = runs_draft_league
    app.jinja_env.globals["draft_phase"] = draft_phase
    app.jinja_env.globals["draft_lines"] = draft_lines
    app.jinja_env.globals["draft_steps"] = setting_words.STEPS
    app.jinja_env.globals["draft_invitation"] = invitation_of
    app.jinja_env.filters["taken_over"] = taken_over_words
    app.jinja_env.globals["champion_of"] = champion_of
    hub = app.extensions[HUB] = DraftHub(app)
    add_stream_source(app, HUB, hub.open)

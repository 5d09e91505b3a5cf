"""What a season offers to a draft league, for the check of its settings. Reads only."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select

from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.setting_faults import SeasonFacts, faults
from app.draft_leagues.settings import DraftLeagueSettings
from app.fantasy.market.models import FootballerSeason, Gameweek
from app.fantasy.market.statuses import LEFT
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import PRESETS


def season_facts(season_id: int, now: datetime) -> SeasonFacts:
    """The facts of a season; a league that names no first gameweek begins with the next one."""
    weeks = db.session.execute(
        select(
            func.coalesce(func.max(Gameweek.week), 0),
            func.min(Gameweek.week).filter(Gameweek.deadline > now),
        ).where(Gameweek.season_id == season_id)
    ).one()
    footballers = db.session.execute(
        select(FootballerSeason.position, func.count())
        .where(FootballerSeason.season_id == season_id, FootballerSeason.status != LEFT)
        .group_by(FootballerSeason.position)
    )
    last, first_open = weeks
    return SeasonFacts(last, dict(footballers.all()), first_open or last + 1)


def faults_in_season(settings: DraftLeagueSettings, season_id: int, now: datetime) -> list[Refusal]:
    """Everything that makes these settings impossible in the season."""
    try:
        scoring = rules_named(settings.scoring)
    except KeyError:
        scoring = None
    return faults(settings, season_facts(season_id, now), scoring)


def scoring_titles(settings: DraftLeagueSettings) -> dict[str, str]:
    """The titles of the scoring rules by name: the presets, and those of these settings."""
    titles = {name: rules.title for name, rules in PRESETS.items()}
    if settings.scoring not in titles:
        titles[settings.scoring] = rules_named(settings.scoring).title
    return titles

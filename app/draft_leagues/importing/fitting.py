"""Fits an imported league to the season that it comes into."""

from __future__ import annotations

from datetime import datetime

import msgspec
from msgspec.structs import replace

from app.core.refusals import Refusal
from app.draft_leagues import setting_words as words
from app.draft_leagues.importing.values import ImportedLeague
from app.draft_leagues.season_facts import scoring_titles, season_facts
from app.draft_leagues.setting_fitting import fitted


def fitted_league(
    league: ImportedLeague, season_id: int, now: datetime
) -> ImportedLeague | Refusal:
    """The league with settings that the season has room for, and notes of what had to change.

    A refusal says which value of the files is impossible.
    """
    settings = fitted(league.settings, season_facts(season_id, now))
    changes = words.changes(league.settings, settings, scoring_titles(settings))
    notes = tuple(
        f"{change.label}: {change.after or 'nothing'} instead of {change.before}, which the season "
        "here has no room for."
        for change in changes
    )
    in_season = replace(league, settings=settings, notes=(*league.notes, *notes))
    try:
        return msgspec.convert(msgspec.to_builtins(in_season), ImportedLeague)
    except msgspec.ValidationError as error:
        return Refusal("values", "files", f"A value is impossible: {error}.")

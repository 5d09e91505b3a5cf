"""Imports every module that declares operations. A new module is added here, and only here."""

from __future__ import annotations

from app.api import (  # noqa: F401  (they declare)
    box_scores,
    bulk,
    competition_play,
    competition_reads,
    competitions,
    deleting,
    feed,
    friends,
    games,
    guilds,
    history,
    leaderboards,
    monthly,
    origins,
    own_players,
    player_lists,
    players,
    scores,
    tournaments,
    webhooks,
    windows,
)
from app.api.draft_leagues import (  # noqa: F401  (as above)
    commissioner,
    corrections,
    draft_controls,
    drafts,
    imports,
    keepers,
    line_ups,
    rankings,
    records,
    rosters,
    season,
    settings,
    trade_block,
    trades,
    transactions,
    waiver_runs,
    waivers,
)
from app.api.draft_leagues import leagues as founded_leagues  # noqa: F401
from app.api.fantasy import footballers, gamers, leagues, matchups, team_sheets  # noqa: F401
from app.api.moderation import modes, rollbacks  # noqa: F401  (as above)
from app.api.moderation import players as moderated_players  # noqa: F401
from app.api.moderation import scores as moderated_scores  # noqa: F401
from app.api.operations import OPERATIONS

__all__ = ["OPERATIONS"]

"""All operations of the API. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from .box_scores import BoxScores
from .change_feed_and_webhooks import ChangeFeedAndWebhooks
from .competitions import Competitions
from .draft_leagues import DraftLeagues
from .fantasy_football import FantasyFootball
from .friends import Friends
from .games import Games
from .leaderboards import Leaderboards
from .moderation import Moderation
from .monthly_board import MonthlyBoard
from .players_and_tokens import PlayersAndTokens
from .scores import Scores
from .tournaments import Tournaments

__all__ = ["Operations"]


class Operations(
    BoxScores,
    ChangeFeedAndWebhooks,
    Competitions,
    DraftLeagues,
    FantasyFootball,
    Friends,
    Games,
    Leaderboards,
    Moderation,
    MonthlyBoard,
    PlayersAndTokens,
    Scores,
    Tournaments,
):
    """One method per operation."""

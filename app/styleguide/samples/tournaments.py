"""Tournaments: picks, places and points."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from app.predictions.counted_score import CountedScore, Parts
from app.predictions.pages.board import Place
from app.predictions.pages.page import Card, Missing, Side
from app.predictions.pages.queries import MatchRow, OwnGuess, Shares, TeamName, TournamentCard
from app.predictions.pages.words import Reason
from app.predictions.points import GuessKind

_KICKOFF = datetime(2026, 9, 13, 17, 0, tzinfo=UTC)
_HOME = TeamName(UUID(int=1), "Harbor Lights", None, "HRB")
_AWAY = TeamName(UUID(int=2), "Summit Falcons", None, "SUM")
_MATCH = MatchRow(
    id=UUID(int=11),
    round_id=1,
    kickoff=_KICKOFF,
    status="open",
    fate=None,
    provider_status="",
    home=_HOME,
    away=_AWAY,
    home_score=None,
    away_score=None,
    terms=None,
    declared=CountedScore.OVERTIME,
    parts=Parts(None),
)
_SIDES = (Side("away", _AWAY, None, "", False), Side("home", _HOME, None, "", False))
_OPEN = Card(
    match=_MATCH,
    kind=GuessKind.SCORES,
    sides=_SIDES,
    guess=None,
    guess_words="",
    crowd=Shares(64, 0, 36),
    typed=("", ""),
    fault="",
    is_saved=False,
    is_locked=False,
    is_live=False,
    state="",
    outlook="",
    score_words="",
    has_score=False,
    is_final=False,
    points=None,
    reasons=(),
)
_GUESSED = (replace(_SIDES[0], typed="17"), replace(_SIDES[1], typed="24", is_picked=True))
_SCORED = (replace(_SIDES[0], score=17), replace(_SIDES[1], score=14))
_LIVE = replace(
    _OPEN,
    sides=_SCORED,
    guess=OwnGuess(24, 17),
    guess_words="SUM 17, HRB 24",
    crowd=None,
    is_locked=True,
    is_live=True,
    state="Live",
    has_score=True,
    points=0,
    reasons=(Reason("Wrong winner", 0),),
)


def _numbered(number: int, card: Card) -> Card:
    return replace(card, match=replace(card.match, id=UUID(int=number)))


CARDS = (
    _numbered(11, _OPEN),
    _numbered(
        12,
        replace(
            _OPEN,
            sides=_GUESSED,
            guess=OwnGuess(24, 17),
            guess_words="SUM 17, HRB 24",
            typed=("24", "17"),
            is_saved=True,
            crowd=None,
        ),
    ),
    _numbered(
        13,
        replace(_OPEN, typed=("x", "3"), fault="Enter a whole number from 0 to 999.", crowd=None),
    ),
    _numbered(
        14,
        replace(
            _OPEN,
            kind=GuessKind.CONFIDENCE,
            sides=_GUESSED,
            guess=OwnGuess(1, 0, 3),
            guess_words="HRB with 3",
            crowd=None,
        ),
    ),
    _numbered(15, _LIVE),
    _numbered(
        16,
        replace(
            _LIVE,
            is_live=False,
            is_final=True,
            state="Final",
            points=300,
            reasons=(Reason("Right winner", 100), Reason("Close score", 200)),
        ),
    ),
    _numbered(
        17, replace(_LIVE, guess=None, points=None, reasons=(), is_live=False, state="Final")
    ),
)
PLACES = (
    Place(UUID(int=21), "Ines", 1_450, 1),
    Place(UUID(int=22), "Dana", 1_200, 2),
    Place(UUID(int=23), "Mateus", 950, 3),
)
ME = PLACES[1].player_id
MISSING = (Missing(2, 7, UUID(int=11)), Missing(0, 7))
_TOURNAMENT = TournamentCard(
    id=UUID(int=31),
    name="NFL Pick’em",
    image=None,
    is_active=True,
    matches=16,
    ended=9,
    live=2,
    next_kickoff=_KICKOFF,
    points=1_200,
    rank=2,
    missing=3,
)
TOURNAMENT = _TOURNAMENT
TOURNAMENTS = (
    _TOURNAMENT,
    replace(_TOURNAMENT, name="Autumn Cup", live=0, points=None, rank=None, missing=0),
    replace(_TOURNAMENT, name="Spring Cup", live=0, ended=16, is_active=False, missing=0),
)

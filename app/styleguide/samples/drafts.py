"""Draft leagues: the board, trades, waivers and playoffs."""

from __future__ import annotations

from dataclasses import replace

from app.draft_leagues.drafts.page import Board, Cell, Column, TeamPlace, TeamView
from app.draft_leagues.drafts.queries import Room
from app.draft_leagues.drafts.ranked import Draftable
from app.draft_leagues.drafts.turn import ComingPick, DraftTurn, LatestPick, LotView
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.season.bracket import BracketGame, BracketPart, BracketRound, BracketSide
from app.draft_leagues.setting_words import Line
from app.draft_leagues.trades.effects import Effect
from app.draft_leagues.trades.terms import Balance, BudgetGift, FootballerGift, PickMove, Terms
from app.record.models import Footballer

_SOPOAGA = Draftable("H1", "Tevita Sopoaga", "QB", "HRB", 312_000, 80_000, 1, bye=7)
_FOOTBALLERS = (
    _SOPOAGA,
    replace(_SOPOAGA, id="H2", name="Kai Wakefield-Ito", position="WR"),
    replace(_SOPOAGA, id="H3", name="Jonas Hill", position="RB"),
    replace(_SOPOAGA, id="H4", name="Ola Marsh", position="TE"),
    replace(_SOPOAGA, id="H5", name="Rory Keane", position="K"),
    replace(_SOPOAGA, id="H6", name="Harbor Lights", position="DST"),
)
BOARD = Board(
    columns=(
        Column(1, "Deadline Dozen", 3, is_automatic=False, budget=112, most=99),
        Column(2, "Hail Mary Poppins", 7, is_automatic=True, budget=None, most=None),
    ),
    rows=(
        (
            Cell("1-1", "1.1", 1, footballer=_FOOTBALLERS[0], price=58),
            Cell("1-2", "1.2", 2, footballer=_FOOTBALLERS[1], is_keeper=True),
        ),
        (
            Cell("2-1", "2.1", 4, footballer=_FOOTBALLERS[2], owner="Margin Notes"),
            Cell("2-2", "2.2", 3, footballer_id="H9"),
        ),
        (Cell("3-1", "3.1", 5), Cell("3-2", "3.2", 6, owner="Margin Notes")),
    ),
)
ROOM = Room(1, 1, 1, "Second Edition", 1, runs=True)
_TURN = DraftTurn(
    status="running",
    is_auction=False,
    franchise=1,
    name="Deadline Dozen",
    label="3.1",
    expected=5,
    deadline=None,
    remaining=42,
    is_night=False,
    slot="3-1",
    coming=(
        ComingPick("3.1", 3, "Deadline Dozen"),
        ComingPick("3.2", 7, "Hail Mary Poppins"),
    ),
    lot=None,
    latest=(
        LatestPick(4, "2.1", 3, "Deadline Dozen", _FOOTBALLERS[2], ""),
        LatestPick(3, "2.2", 7, "Hail Mary Poppins", _FOOTBALLERS[3], ""),
    ),
    run="Run on RB: 4 of the last 6",
    picks_made=4,
    picks_in_all=30,
)
TURNS = (
    ("Not started", replace(_TURN, status="waiting", latest=(), picks_made=0)),
    ("On the clock", _TURN),
    ("Paused", replace(_TURN, status="paused")),
    (
        "Up for bids",
        replace(_TURN, is_auction=True, lot=LotView(_FOOTBALLERS[5], "Hail Mary Poppins", 2, 17)),
    ),
    ("Complete", replace(_TURN, status="completed", coming=(), remaining=None, picks_made=30)),
)
TEAM = TeamView(
    franchise=1,
    name="Deadline Dozen",
    places=(
        TeamPlace("QB", _FOOTBALLERS[0]),
        TeamPlace("RB", _FOOTBALLERS[2]),
        TeamPlace("WR", _FOOTBALLERS[1]),
        TeamPlace("TE", None),
        TeamPlace("K", _FOOTBALLERS[4]),
        TeamPlace("DST", _FOOTBALLERS[5]),
    ),
    bench=(_FOOTBALLERS[3],),
    picks_left=9,
    budget=None,
    most=None,
    is_automatic=False,
)
LINES = (
    Line("season", "Playoffs", "4 teams, Weeks 15 to 16"),
    Line("waivers", "Waivers", "Budget of 100, Wednesdays"),
)
OUTCOMES = (
    ("Deadline Dozen", "Jonas Hill", 17, "won", "Highest bid"),
    ("Hail Mary Poppins", "Jonas Hill", 12, "lost", "Outbid: 17"),
    ("Margin Notes", "Ola Marsh", None, "won", "First in line"),
)
_NAMES = ("Deadline Dozen", "Hail Mary Poppins", "Margin Notes", "Blitz and Pieces")
_TEAMS = {
    number: Team(number, name, number, 0, number, is_locked=False)
    for number, name in enumerate(_NAMES, 1)
}


def team(number: int) -> Team:
    """The team of a franchise of the sample league."""
    return _TEAMS[number]


TRADE = Terms(
    footballers=(FootballerGift("H1", 1, 2), FootballerGift("H3", 2, 1)),
    picks=(PickMove(2027, 2, 3, 2, 1),),
    budgets=(BudgetGift(15, 2, 1),),
)
TRADED = {
    who.id: Footballer(id=who.id, name=who.name, position=who.position, club_id="HRB", number=n)
    for n, who in enumerate(_FOOTBALLERS, 11)
}
TRADE_EFFECTS = {
    1: Effect(1_482_000, 1_503_000, Balance(184_000, 163_000), None),
    2: Effect(1_390_000, 1_377_000, Balance(163_000, 184_000), None),
}


def _side(
    number: int | None, text: str = "", points: int | None = None, *, is_winner: bool = False
) -> BracketSide:
    return BracketSide(number, number or 0, text, points, is_winner)


BRACKET = BracketPart(
    "Playoffs",
    (
        BracketRound(
            "Semifinals",
            "Week 15",
            (
                BracketGame(
                    "s1", (15,), (_side(1, points=121_360, is_winner=True), _side(4, points=98_100))
                ),
                BracketGame("s2", (15,), (_side(2, points=61_020), _side(3, points=74_500))),
            ),
        ),
        BracketRound(
            "Final",
            "Week 16",
            (BracketGame("f", (16,), (_side(1), _side(None, "Winner of 2 and 3"))),),
        ),
    ),
    has_lines=True,
)
BYE = BracketPart(
    "Third place",
    (BracketRound("Game", "Week 16", (BracketGame("t", (16,), (_side(4),)),)),),
    has_lines=False,
)

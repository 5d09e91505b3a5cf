"""Leagues: tables, matchups, teams and swings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from app.fantasy.leagues.queries import LeagueCard
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.home.page import Deadline
from app.fantasy.pages.league.my_matchup import MyMatchup
from app.fantasy.pages.league.page import LeaguePage, PickGameRow, PickRow, TableRow, TeamPage
from app.fantasy.pages.matchup.page import BestChoice, MatchupSide, Pair
from app.fantasy.pages.matchup.page import PlaceRow as MatchupPlace
from app.fantasy.pages.players.page import Cell, Heading, PlayerRow
from app.fantasy.pages.recap.page import HEADINGS as HEADINGS
from app.fantasy.pages.recap.page import RecapPage
from app.fantasy.recaps.rules import Claim
from app.fantasy.recaps.values import PlayRef
from app.fantasy.scoring.picks import Pick
from app.fantasy.sheets.my_teams import MyTeam
from app.fantasy.standings.games import Game, Side
from app.fantasy.standings.preview import Move, PreviewedPlace
from app.fantasy.standings.queries import LeagueRow
from app.styleguide.samples.games import GAMES

ME, OPPONENT = 1, 2
LEAGUE = LeagueRow(
    id=0,
    slug="styleguide",
    name="The Press Row",
    rules="ppr",
    members=12,
    season_id=1,
    team_rules_id=1,
    format="nfl-classic",
    mode="head_to_head",
    commissioner_id=None,
    counts_moved=True,
    first_week=1,
    is_overall=False,
    is_member=True,
    game="season",
)
_KICKOFF = datetime(2026, 9, 13, 17, 0, tzinfo=UTC)
_BEFORE = MatchupSide(
    name="Deadline Dozen", total="", team=None, expected="112.40", percent="58%", share=58
)
_LIVE = replace(_BEFORE, total="61.02", playing=3, to_play=4)
_OPPONENT_BEFORE = MatchupSide(
    name="Hail Mary Poppins", total="", team=None, expected="104.10", percent="42%", share=42
)
_OPPONENT_LIVE = replace(_OPPONENT_BEFORE, total="74.50", playing=1, to_play=2)
SCOREBOARDS = (
    ("Before the week", (_BEFORE, _OPPONENT_BEFORE), False),
    ("Live", (_LIVE, _OPPONENT_LIVE), False),
    ("Awaiting data", (replace(_LIVE, is_awaited=True), replace(_OPPONENT_LIVE, awaited=2)), False),
    (
        "Final",
        (
            MatchupSide(name="Deadline Dozen", total="121.36", team=None),
            MatchupSide(name="Hail Mary Poppins", total="118.90", team=None),
        ),
        True,
    ),
    ("Total points", (_LIVE,), False),
)
_HOME = Side(ME, "Deadline Dozen", 61_020)
_AWAY = Side(OPPONENT, "Hail Mary Poppins", 74_500)
MATCHUPS = (
    Game(4, "Week 4", is_locked=True, has_points=True, home=_HOME, away=_AWAY),
    Game(
        5,
        "Week 5",
        is_locked=False,
        has_points=False,
        home=replace(_HOME, member_id=3, team_name="Margin Notes"),
        away=replace(_AWAY, member_id=4, team_name="Blitz and Pieces"),
    ),
)
_ROW = TableRow(
    member_id=3,
    team_name="Inkwell Irregulars",
    display_name="Ines",
    rank=1,
    shared=False,
    main=482_140,
    week=82_140,
    match_points=9,
    held_points=0,
    moved=2,
    left="3 left",
    record="3–1",
)
ROWS = (
    _ROW,
    replace(
        _ROW,
        member_id=ME,
        team_name="Deadline Dozen",
        display_name="You",
        rank=2,
        shared=True,
        main=461_020,
        week=61_020,
        moved=0,
        left="7 left",
        record="2–2",
    ),
    replace(
        _ROW,
        member_id=OPPONENT,
        team_name="Hail Mary Poppins",
        display_name="Hana",
        rank=2,
        shared=True,
        main=461_020,
        week=74_500,
        held_points=6_000,
        moved=-1,
        record="2–2",
        notes=("Adjusted −2.00: late lineup",),
    ),
)
PAGE = LeaguePage(
    league=LEAGUE,
    rules="Full PPR",
    gameweek=GameweekRow(
        id=1,
        season_id=1,
        competition="nfl",
        season=2026,
        season_type="REG",
        week=4,
        name="Week 4",
        deadline=_KICKOFF,
        is_settled=False,
    ),
    games=GAMES,
    table=ROWS,
    live=1,
    is_over=False,
    my_matchup=MyMatchup(
        4,
        (_LIVE, _OPPONENT_LIVE),
        (ME, OPPONENT),
        (replace(MATCHUPS[1], home=_HOME),),
    ),
)
_PICK = Pick("QB", True, "H1", "Tevita Sopoaga", "QB", "HRB", 1, False, False, ())
_LIVE_GAME = PickGameRow("styleguide-2", "Q3 4:12", None, "182 passing yards, 2 TD", "19.28")
_LIVE_PICK = PickRow(_PICK, (_LIVE_GAME,), _LIVE_GAME, "19.28", "", "Captain")
_COMING = PickGameRow("styleguide-1", "vs SUM", _KICKOFF, "", "")
PICKS = (
    _LIVE_PICK,
    PickRow(
        replace(_PICK, slot="WR", footballer_id="H2", name="Kai Wakefield-Ito", position="WR"),
        (_LIVE_GAME,),
        replace(_LIVE_GAME, summary="4 catches, 57 yards"),
        "9.70",
        "6.00",
        "",
    ),
    PickRow(
        replace(_PICK, slot="RB", footballer_id="H3", name="Jonas Hill", position="RB"),
        (_COMING,),
        _COMING,
        "0.00",
        "",
        "",
        is_awaited=True,
    ),
    PickRow(
        replace(
            _PICK, slot="BN", footballer_id="H4", name="Ola Marsh", position="TE", multiplier=0
        ),
        (),
        None,
        "0.00",
        "",
        "",
    ),
)
LINEUP = TeamPage(
    league=LEAGUE,
    gameweek=PAGE.gameweek,
    team_name="Inkwell Irregulars",
    display_name="Ines Kwell",
    starters=PICKS[:3],
    substitutes=PICKS[3:],
    total="26.98",
    cost="",
    adjusted=(("-2.00", "Late lineup"),),
    left="",
    changes=(),
    is_over=False,
    is_hidden=False,
)
PLACES = (
    Pair("QB", (MatchupPlace(PICKS[0], "T. Sopoaga", "21.40", is_live=True), None)),
    Pair(
        "WR",
        (
            MatchupPlace(PICKS[1], "K. Wakefield-Ito", "14.10", is_live=True),
            MatchupPlace(PICKS[2], "J. Hill", "11.80", is_live=False),
        ),
    ),
    Pair("BN", (MatchupPlace(PICKS[3], "O. Marsh", "", is_live=False), None)),
)
DUEL: Mapping[str, Any] = {
    "sides": (
        replace(_LIVE, bench="4.10", best=BestChoice("68.22", "7.20", ("WR: J. Hill",))),
        _OPPONENT_LIVE,
    ),
    "starters": PLACES[:2],
    "substitutes": PLACES[2:],
    "prospects": "Deadline Dozen needs 13.49 more from 7 players.",
    "result": "",
}
TEAMS_OF_DUEL = tuple({"name": side.name, "team": {"starters": PICKS}} for side in DUEL["sides"])
_CLAIM = Claim(
    "winner", "Inkwell Irregulars win the week.", "39 ahead of the average", None, (3,), 121_360
)
RECAP = RecapPage(
    claims=(
        _CLAIM,
        replace(
            _CLAIM,
            kind="player_record",
            line="T. Sopoaga, QB",
            play=PlayRef("styleguide-2", 2, "Sopoaga to Wakefield-Ito for 57 yards. Touchdown!"),
            member_ids=(ME,),
            points=38_400,
        ),
    ),
    power=(),
    points={},
    names={ME: "Deadline Dozen", 3: "Inkwell Irregulars"},
)
_CARD = LeagueCard(
    id=1,
    slug="the-press-row",
    name="The Press Row",
    season="NFL 2026",
    mode="total",
    is_public=False,
    is_overall=False,
    is_mine=True,
    members=12,
    teams=12,
    team_name="Deadline Dozen",
    rank=2,
    total=461_020,
    last_ranks=(3,),
    is_live=True,
)
CARDS = (
    _CARD,
    replace(
        _CARD,
        slug="front-page-derby",
        name="Front Page Derby",
        mode="head_to_head",
        is_mine=False,
        is_public=True,
        team_name=None,
        members=1,
        rank=None,
        total=None,
    ),
    replace(_CARD, slug="everyone", name="Everyone", is_mine=False, is_overall=True, members=4_812),
)
MOVES = (
    Move(
        ME,
        "You",
        "Deadline Dozen",
        PreviewedPlace((), 61_020, 3, 3),
        PreviewedPlace((), 67_020, 6, 2),
    ),
    Move(
        OPPONENT,
        "Hana",
        "Hail Mary Poppins",
        PreviewedPlace((), 74_500, 6, 2),
        PreviewedPlace((), 70_500, 3, 3),
    ),
    Move(
        3,
        "Ines",
        "Inkwell Irregulars",
        PreviewedPlace((), 82_140, 9, 1),
        PreviewedPlace((), 82_140, 9, 1),
    ),
)
_TEAM = MyTeam(
    team_rules_id=1,
    season_id=1,
    season="NFL 2026",
    format="nfl-classic",
    lock="deadline",
    time_zone="UTC",
    leagues=("The Press Row",),
    live_slug="the-press-row",
    rules="ppr",
    season_rules="ppr",
    gameweek_id=1,
    gameweek="Week 4",
    locks_at=_KICKOFF,
    next_kickoff=None,
    picks=("H1", ""),
    state="saved",
)
TEAMS = (
    _TEAM,
    replace(_TEAM, picks=("", "")),
)
DEADLINES = (
    Deadline(_TEAM, _KICKOFF, "2 hours", is_urgent=True, is_by_player=False),
    Deadline(_TEAM, _KICKOFF, "3 days", is_urgent=False, is_by_player=True),
)
_POINTS = Heading("points", "Pts", "Points", "", "", is_shown=True)
_PLAYER = PlayerRow(
    id="H1",
    name="Tevita Sopoaga",
    position="QB",
    club_id="HRB",
    price="11.5",
    selected="38",
    alert="",
    news="",
    opponent="vs SUM",
    kickoff=_KICKOFF,
    is_live=False,
    cells=(Cell(_POINTS, "84.20"),),
    weeks=None,
    projection="21.40",
)
PLAYERS = (
    _PLAYER,
    replace(_PLAYER, id="H2", name="Kai Wakefield-Ito", position="WR", is_live=True),
    replace(_PLAYER, id="H3", name="Jonas Hill", position="RB", alert="Questionable"),
    replace(_PLAYER, id="H4", name="Ola Marsh", position="TE", news="Back in training"),
)

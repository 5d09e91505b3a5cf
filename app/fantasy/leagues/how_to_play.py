"""Explains how to play by a league's own rules: chapters and examples. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.amounts import decimal_points, tenths_words
from app.fantasy.leagues import words
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import DST, IDP, SKILL, Format, Slot, format_named
from app.fantasy.scoring.rules import ScoringRules, points


@dataclass(frozen=True)
class Chapter:
    """A chapter of the explanation."""

    title: str
    lines: Sequence[str]


@dataclass(frozen=True)
class Example:
    """A day of a footballer of that position, and what it earns by the league's scoring."""

    position: str
    story: str
    points: str


_STORIES: Sequence[tuple[tuple[str, ...], str, Mapping[str, int]]] = (
    (
        ("QB",),
        "throws for 250 yards and two touchdowns, and one interception",
        {"passing_yards": 250, "passing_tds": 2, "passing_interceptions": 1},
    ),
    (
        ("RB",),
        "runs for 80 yards and a touchdown, and catches three passes for 20 yards",
        {"rushing_yards": 80, "rushing_tds": 1, "receptions": 3, "receiving_yards": 20},
    ),
    (
        ("WR",),
        "catches six passes for 90 yards and a touchdown",
        {"receptions": 6, "receiving_yards": 90, "receiving_tds": 1},
    ),
    (("TE",), "catches four passes for 45 yards", {"receptions": 4, "receiving_yards": 45}),
    (
        ("K",),
        "makes field goals from 35 and 52 yards and three extra points",
        {"fg_made_30_39": 1, "fg_made_50_59": 1, "pat_made": 3},
    ),
    (
        IDP,
        "makes five solo tackles, defends two passes and intercepts one",
        {"tackles_solo": 5, "passes_defended": 2, "interceptions_made": 1},
    ),
    (
        (DST,),
        "sacks the passer three times, intercepts a pass and allows 10 points and 280 yards",
        {"dst_sacks": 3, "dst_interceptions": 1, "dst_allowed_7_13": 1, "dst_yards_200_299": 1},
    ),
    (
        ("GK",),
        "plays the whole match, lets nobody score and makes six saves",
        {"minutes": 90, "clean_sheets": 1, "saves": 6},
    ),
    (
        ("DEF",),
        "plays the whole match, scores a goal and is shown a yellow card; the other side scores "
        "twice",
        {"minutes": 90, "goals": 1, "yellow_cards": 1, "goals_conceded": 2},
    ),
    (
        ("MID",),
        "plays the whole match, scores a goal and sets one up",
        {"minutes": 90, "goals": 1, "assists": 1},
    ),
    (("FWD",), "comes on for half an hour and scores twice", {"minutes": 30, "goals": 2}),
)


def examples(format_name: str, scoring: ScoringRules) -> list[Example]:
    """An example for each kind of footballer in the format."""
    format_positions = format_named(format_name).positions
    return [
        Example(
            "Defence" if positions == IDP else positions[0],
            story,
            decimal_points(points(stats, scoring, positions[0])),
        )
        for positions, story, stats in _STORIES
        if positions[0] in format_positions
    ]


def chapters(choice: TeamRulesChoice, mode: str, ties: str) -> list[Chapter]:
    """The explanation from the first team to the table, in the order that beginners need."""
    team_format = format_named(choice.format)
    if team_format.is_draft:
        return _draft_chapters(choice, team_format)
    return [
        Chapter("Pick a team", list(_team(choice, team_format))),
        Chapter("Choose a captain and order your substitutes", _armbands()),
        Chapter("Save it before the deadline", list(_deadline(choice))),
        Chapter("Change it from gameweek to gameweek", list(_transfers(choice))),
        Chapter("Watch it move", _live()),
        Chapter(
            "Climb the table", [words.MODE_SENTENCES[mode], words.TIE_SENTENCES[ties], _SETTLED]
        ),
    ]


def _draft_chapters(choice: TeamRulesChoice, team_format: Format) -> list[Chapter]:
    """The explanation of a draft league."""
    if team_format.is_best_ball:
        lineup = [
            Chapter(
                "Watch your best line-up count",
                ["You set nothing: after each game your roster's best line-up counts by itself."],
            )
        ]
    else:
        lineup = [
            Chapter("Set your line-up each gameweek", _lineup(team_format)),
            Chapter("Know when it locks", list(_deadline(choice))),
        ]
    return [
        Chapter(
            "Draft a roster",
            [
                f"You start {places_words(team_format.starters)}, and have "
                f"{len(team_format.substitutes)} on the bench.",
                "Nobody else in the league has a footballer who is on your roster.",
            ],
        ),
        *lineup,
        Chapter(
            "Improve your roster",
            [
                "Add players without a team, claim those who are on waivers, and trade with the "
                "other teams. Drop players to make room.",
                "Players who cannot play may wait on injured reserve, if your league has it.",
            ],
        ),
        Chapter("Watch it move", _live()),
        Chapter(
            "Win the league",
            [
                "Each gameweek you play another team. The standings go by games won; if your "
                "league has play-offs, its best teams reach them.",
                "The standings say why each team stands where it does.",
                _SETTLED,
            ],
        ),
    ]


def _lineup(team_format: Format) -> list[str]:
    if team_format.substitutes_come_on:
        bench = "If a starter does not play, the first of your bench who fits comes on."
    else:
        bench = "Only starters count: look before kickoff whether all of yours play."
    return ["Choose who starts; places may stay empty.", bench]


_SETTLED = (
    "When all games of a gameweek are over, its points are final. If the record is corrected "
    "later, points and table follow, and you get a notice that says why."
)


def _team(choice: TeamRulesChoice, team_format: Format) -> list[str]:
    squad = ", ".join(f"{count} {position}" for position, count in team_format.squad.items())
    return [
        f"Start with {places_words(team_format.starters)}, "
        f"and have {places_words(team_format.substitutes)} on the bench.",
        *([f"The whole squad has {squad}."] if squad else []),
        f"You have {tenths_words(choice.budget)} million to spend and may pick at most "
        f"{choice.club_limit} player{'' if choice.club_limit == 1 else 's'} from one club. "
        "Other teams may have the same players as you.",
    ]


def places_words(slots: Sequence[Slot]) -> str:
    """The number of places of each kind, and the positions that they take.

    >>> places_words(format_named("nfl-classic").starters)
    '1 QB, 2 RB, 2 WR, 1 TE, 1 FLEX (RB, WR or TE), 1 K, 1 IDP (any defender)'
    """
    return ", ".join(
        f"{count} {slot.name}{_taken_by(slot)}" for slot, count in Counter(slots).items()
    )


def _taken_by(slot: Slot) -> str:
    if slot.accepts == (DST,):
        return " (a club's defence and special teams)"
    if slot.accepts == (slot.name,) or len(slot.accepts) == 1:
        return ""
    if set(slot.accepts) == set(IDP):
        return " (any defender)"
    if len(slot.accepts) > len(SKILL) + 1:
        return " (any position)"
    return f" ({', '.join(slot.accepts[:-1])} or {slot.accepts[-1]})"


def _armbands() -> list[str]:
    return [
        "Your captain's points count twice. If the captain does not play, the vice-captain's do.",
        "If a starter does not play, the first eligible substitute comes on automatically.",
    ]


def _deadline(choice: TeamRulesChoice) -> list[str]:
    label = dict(words.team_lines(choice))["Lineups lock"]
    zone = choice.time_zone.replace("_", " ")
    if choice.lock == "game":
        when = (
            "Each player locks at the kickoff of their own game. You can still change everybody "
            "else."
        )
    elif choice.deadline:
        when = f"The whole team locks at once, {label}."
    else:
        when = f"The whole team locks at once, at the gameweek's deadline, shown in {zone} time."
    return [
        when,
        "Nobody else sees your team before the deadline.",
        "If you do not save a team, your last one plays again.",
        "A cancelled game does not count. A game that moves to another gameweek "
        + ("counts there." if choice.postponed_games == "played" else "does not count at all."),
        "If a game is postponed without a new date, the deadline stays and the gameweek does not "
        "wait for it.",
    ]


def _transfers(choice: TeamRulesChoice) -> list[str]:
    if choice.free_transfers is None:
        first = "Change as many players as you like."
    else:
        saved = f", and you can save up to {choice.bank_limit}" if choice.bank_limit else ""
        free = (
            "1 change per gameweek is"
            if choice.free_transfers == 1
            else f"{choice.free_transfers} changes per gameweek are"
        )
        first = (
            f"{free} free{saved}. Each extra change costs "
            f"{decimal_points(choice.transfer_cost)} points. Your first team is free."
        )
    return [
        first,
        "Prices move after each deadline, depending on how many managers bought and sold a player. "
        "When you sell, you get your price back plus half of any rise.",
    ]


def _live() -> list[str]:
    return [
        "A scorer in the stadium enters each play. Your points and the table follow within "
        "seconds. Tap any points to see the plays behind them.",
        "While a play is under review, its points count and are marked as held. If the call is "
        "overturned, the points go and you see the reason.",
    ]

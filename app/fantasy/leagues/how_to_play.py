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
        "plays the whole match, keeps a clean sheet and makes six saves",
        {"minutes": 90, "clean_sheets": 1, "saves": 6},
    ),
    (
        ("DEF",),
        "plays the whole match, scores a goal and gets a yellow card; the other team scores twice",
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
            "Defense" if positions == IDP else positions[0],
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
        Chapter("Choose a captain and order your bench", _captain_and_bench()),
        Chapter("Save it before the deadline", list(_deadline(choice))),
        Chapter("Make transfers each week", list(_transfers(choice))),
        Chapter("Watch it live", _live()),
        Chapter(
            "Climb the standings", [words.MODE_SENTENCES[mode], words.TIE_SENTENCES[ties], _SETTLED]
        ),
    ]


def _draft_chapters(choice: TeamRulesChoice, team_format: Format) -> list[Chapter]:
    """The explanation of a draft league."""
    if team_format.is_best_ball:
        lineup = [
            Chapter(
                "Watch your best lineup count",
                ["There is no lineup to set: your best players count automatically each week."],
            )
        ]
    else:
        lineup = [
            Chapter("Set your lineup each week", _lineup(team_format)),
            Chapter("Know when it locks", list(_deadline(choice))),
        ]
    return [
        Chapter(
            "Draft a roster",
            [
                f"You start {places_words(team_format.starters)}, with "
                f"{len(team_format.substitutes)} on the bench.",
                "Each player is on one roster only.",
            ],
        ),
        *lineup,
        Chapter(
            "Improve your roster",
            [
                "Add free agents, claim players on waivers, and trade with other teams. Drop "
                "players to make room.",
                "Injured or suspended players can go on injured reserve, if your league has it.",
            ],
        ),
        Chapter("Watch it live", _live()),
        Chapter(
            "Win the league",
            [
                "Each week you play another team. The standings rank teams by wins. If your league "
                "has playoffs, the best teams qualify.",
                "The standings show the tiebreakers.",
                _SETTLED,
            ],
        ),
    ]


def _lineup(team_format: Format) -> list[str]:
    if team_format.substitutes_come_on:
        bench = "If a starter does not play, the first eligible bench player comes in."
    else:
        bench = "Only starters count. Before kickoff, check that all of yours are playing."
    return ["Choose who starts. Slots can stay empty.", bench]


_SETTLED = (
    "Points are final once all games of the week are over. If there is a stat correction later, "
    "points and standings are updated, and a notification tells you why."
)


def _team(choice: TeamRulesChoice, team_format: Format) -> list[str]:
    squad = ", ".join(f"{count} {position}" for position, count in team_format.squad.items())
    return [
        f"Start {places_words(team_format.starters)}, "
        f"with {places_words(team_format.substitutes)} on the bench.",
        *([f"A full team has {squad}."] if squad else []),
        f"You have {tenths_words(choice.budget)} million to spend and can pick at most "
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
        return " (a club's defense and special teams)"
    if slot.accepts == (slot.name,) or len(slot.accepts) == 1:
        return ""
    if set(slot.accepts) == set(IDP):
        return " (any defender)"
    if len(slot.accepts) > len(SKILL) + 1:
        return " (any position)"
    return f" ({', '.join(slot.accepts[:-1])} or {slot.accepts[-1]})"


def _captain_and_bench() -> list[str]:
    return [
        "Your captain scores double. If the captain does not play, the vice-captain does instead.",
        "If a starter does not play, the first eligible bench player comes in automatically.",
    ]


def _deadline(choice: TeamRulesChoice) -> list[str]:
    label = dict(words.team_lines(choice))["Lineups lock"]
    zone = choice.time_zone.replace("_", " ")
    if choice.lock == "game":
        when = "Each player locks at kickoff of their game. You can still change everyone else."
    elif choice.deadline:
        when = f"The whole team locks together: {label}."
    else:
        when = f"The whole team locks at the weekly deadline, shown in {zone} time."
    return [
        when,
        "Your team stays hidden from others until the deadline.",
        "If you make no changes, last week's team is used.",
        "A cancelled game does not count. A game moved to another week "
        + ("counts there." if choice.postponed_games == "played" else "does not count at all."),
        "If a game is postponed without a new date, the deadline stays and the week finishes "
        "without it.",
    ]


def _transfers(choice: TeamRulesChoice) -> list[str]:
    if choice.free_transfers is None:
        first = "Change as many players as you like."
    else:
        saved = f", and you can bank up to {choice.bank_limit}" if choice.bank_limit else ""
        free = (
            "1 transfer per week is"
            if choice.free_transfers == 1
            else f"{choice.free_transfers} transfers per week are"
        )
        first = (
            f"{free} free{saved}. Each extra transfer costs "
            f"{decimal_points(choice.transfer_cost)} points. Your first team is free."
        )
    return [
        first,
        "Prices move after each deadline, depending on how many managers bought and sold a player. "
        "When you sell, you get your price back plus half of any rise.",
    ]


def _live() -> list[str]:
    return [
        "Your points and the standings update as plays come in. Tap any points to see the plays "
        "behind them.",
        "While a play is under review, its points count but are marked as held. If the call is "
        "overturned, they are removed and you see why.",
    ]

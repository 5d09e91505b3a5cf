"""Previews the changes of an entry before Enter records it.

It is a dry run in memory: the game's statistics, points, score and totals are computed with and
without the entry, by the same rules as in ingestion, and compared. Nothing is written or locked,
and Kafka is not needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.core.db import db
from app.core.plurals import counted
from app.fantasy.gameweeks.moved_totals import Totals, moved_totals
from app.fantasy.scoring.points import point_changes
from app.fantasy.scoring.rules import PRESETS, points
from app.fantasy.scoring.statistics import in_order, stat_words
from app.record import queries as record
from app.record.rules.stat_lines import Numbered, StatLine
from app.record.rules.state import GameState, game_state
from app.record.rules.team_defence import Clubs, all_credits, all_lines, has_begun
from scorer_console.record.effective_events import Fold

SHOWN_RULES = ("standard", "ppr")
MOST = 12  # most players and totals shown; a play changes fewer


@dataclass(frozen=True)
class Moved:
    """A title and its lines, as the console shows them."""

    title: str
    lines: list[str]


def moved(game_id: str, before: Fold, after: Fold, clubs: Clubs) -> list[Moved]:
    """Return the changes of the entry by section; empty if none. `clubs` are home and away."""
    (state, lines), (state_after, lines_after) = (
        _worked_out(before, clubs),
        _worked_out(after, clubs),
    )
    changed = [
        player
        for player in sorted({*lines, *lines_after})
        if _stats(lines, player) != _stats(lines_after, player)
    ]
    names = record.names(changed)
    sections = []
    if score := _score(state, state_after, clubs):
        sections.append(Moved("Score", score))
    player_lines = [
        _player(names.get(player, player), _stats(lines, player), _stats(lines_after, player))
        for player in changed
    ]
    more = (
        [f"and {counted(len(player_lines) - MOST, 'more player')}"]
        if len(player_lines) > MOST
        else []
    )
    if player_lines:
        sections.append(Moved("Statistics and points", [*player_lines[:MOST], *more]))
    risen = point_changes(
        {player: (_stats(lines, player), _stats(lines_after, player)) for player in changed}
    )
    if risen:
        totals = moved_totals(game_id, risen)
        sections.append(Moved("Team totals that change", _totals(totals)))
        if totals.playoffs != 0:
            sections.append(Moved("Playoffs of draft leagues", [_playoffs(totals.playoffs)]))
    db.session.rollback()  # nothing was written
    return sections


def _worked_out(fold: Fold, clubs: Clubs) -> tuple[GameState, dict[str, StatLine]]:
    events: list[Numbered] = [
        (event.event_number, event.play_number, event.body) for event in fold.effective
    ]
    state = game_state(events, *clubs)
    that_count = [] if state.status == "cancelled" else events
    return state, all_lines(all_credits(that_count, clubs), clubs, has_begun=has_begun(that_count))


def _stats(lines: dict[str, StatLine], player: str) -> dict[str, int]:
    return lines[player].stats if player in lines else {}


def _totals(totals: Totals) -> list[str]:
    if totals.moved is None:
        return [f"{totals.teams:,} teams have one of these players, too many to show each"]
    lines = [
        f"{change.by / 1000:+g}: {counted(change.teams, 'team')} in "
        f"{counted(change.leagues, 'league')}"
        for change in totals.moved
    ]
    more = [f"and {counted(len(lines) - MOST, 'more amount')}"] if len(lines) > MOST else []
    return [*lines[:MOST], *more] or ["none: no team has one of these players"]


def _playoffs(leagues: int | None) -> str:
    """Name no league and no team: what goes on in them is their members'.

    >>> _playoffs(2)
    'different qualifiers, matchups or winners in 2 leagues'
    """
    if leagues is None:
        return "too many leagues have one of these players to show each"
    return f"different qualifiers, matchups or winners in {counted(leagues, 'league')}"


def _score(state: GameState, after: GameState, clubs: Clubs) -> list[str]:
    scores = ((state.home_score, after.home_score), (state.away_score, after.away_score))
    return [
        f"{club} {was} → {now}"
        for club, (was, now) in zip(clubs, scores, strict=True)
        if was != now
    ]


def _player(name: str, stats: dict[str, int], after: dict[str, int]) -> str:
    changes = [
        f"{stat_words(stat)} {stats.get(stat, 0)} → {after.get(stat, 0)}"
        for stat in in_order({*stats, *after})
        if stats.get(stat, 0) != after.get(stat, 0)
    ]
    worth = {
        name: points(after, PRESETS[name]) - points(stats, PRESETS[name]) for name in SHOWN_RULES
    }
    earned = ", ".join(
        f"{worth[name] / 1000:+g} {PRESETS[name].title}" for name in SHOWN_RULES if worth[name]
    )
    return f"{name}: {', '.join(changes)}{f'; points {earned}' if earned else ''}"

"""The four named queries over the play tables (PRODUCT A11).

Rushing yards, passing yards, solo tackles and touchdowns. Each is one statement over valid rows,
served by the partial indexes of play_tables.py; docs/queries.md, made by `pressbox query-plans`,
names the index of each table. They agree with rules/stat_lines.py credit for credit. Used by
`pressbox query`, and as examples of how to query the tables.

The rule behind the yards: a movement belongs to whoever started it. A rush, a pass, a sack, a
return, a kick, an interception and a recovery each start one; later runs in the same play belong to
it, laterals included. The source design subtracts passing yards the wrong way round (throw less
reception); here they go from the line of scrimmage to the end of the play, yards after the catch
included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from app.core.db import db

# Every movement of the ball with `since`: the event that started what it belongs to. `spot`: its
# place in the play.
_MOVEMENTS = """
WITH ball AS (
  SELECT play_number, event_number, coalesce(place, event_number) AS spot,
    end_yard - start_yard AS yards,
    is_rush OR kind = 'return' AS starts
  FROM runs WHERE game_id = :game AND valid
  UNION ALL
  SELECT play_number, event_number, coalesce(place, event_number), reception_yard - throw_yard, true
  FROM passes WHERE game_id = :game AND valid
  UNION ALL
  SELECT play_number, event_number, coalesce(place, event_number), 0, true
  FROM sacks WHERE game_id = :game AND valid
  UNION ALL
  SELECT play_number, event_number, coalesce(place, event_number), 0, true
  FROM kicks WHERE game_id = :game AND valid
  UNION ALL
  SELECT play_number, event_number, coalesce(place, event_number), 0, true
  FROM turnovers WHERE game_id = :game AND valid AND kind <> 'fumble'
), movements AS (
  SELECT *, (max(ARRAY[spot, event_number]) FILTER (WHERE starts)
    OVER (PARTITION BY play_number ORDER BY spot, event_number))[2]::int AS since
  FROM ball
)"""

_RUSHING_YARDS = (
    _MOVEMENTS
    + """
SELECT runs.player_id, sum(movements.yards)
FROM runs
JOIN movements ON movements.event_number = runs.event_number
JOIN runs AS rush ON rush.game_id = :game AND rush.event_number = movements.since AND rush.valid
  AND rush.is_rush
WHERE runs.game_id = :game AND runs.valid AND runs.player_id {player}
GROUP BY runs.player_id
ORDER BY 2 DESC, 1
"""
)

_PASSING_YARDS = (
    _MOVEMENTS
    + """
SELECT passes.passer_id, sum(movements.yards)
FROM passes
JOIN movements ON movements.since = passes.event_number
WHERE passes.game_id = :game AND passes.valid AND passes.passer_id {player}
  AND passes.result = 'complete'
GROUP BY passes.passer_id
ORDER BY 2 DESC, 1
"""
)

_SOLO_TACKLES = """
SELECT tackler_id, count(*), count(*) FILTER (WHERE kind = 'solo')
FROM tackles
WHERE game_id = :game AND valid AND tackler_id {player} AND kind IN ('solo', 'primary')
GROUP BY tackler_id
ORDER BY 2 DESC, 1
"""

_TOUCHDOWNS = (
    _MOVEMENTS  # noqa: S608  (nothing from outside is in it)
    + """, scored AS (
  SELECT play_number, event_number, place, team, player_id, kind FROM runs
  WHERE game_id = :game AND valid AND is_touchdown
  UNION ALL
  SELECT play_number, event_number, place, team, receiver_id, 'catch' FROM passes
  WHERE game_id = :game AND valid AND is_touchdown
  UNION ALL
  SELECT play_number, event_number, place, team, player_id, kind FROM turnovers
  WHERE game_id = :game AND valid AND is_touchdown
), touchdowns AS (
  SELECT DISTINCT ON (play_number) * FROM scored
  ORDER BY play_number, coalesce(place, event_number) DESC, event_number DESC
)
SELECT touchdowns.play_number, touchdowns.event_number, plays.start_timestamp, plays.period,
  plays.clock,
  touchdowns.team, touchdowns.kind, touchdowns.player_id AS scorer_id, passes.passer_id
FROM touchdowns
JOIN movements ON movements.event_number = touchdowns.event_number
LEFT JOIN passes ON passes.game_id = :game AND passes.event_number = movements.since
  AND passes.valid
  AND passes.result = 'complete'
LEFT JOIN plays ON plays.game_id = :game AND plays.play_number = touchdowns.play_number
  AND plays.valid
ORDER BY coalesce(plays.play_place, touchdowns.play_number), touchdowns.play_number
"""
)

# What is published about each: its name on the command line, what it answers, its statement for one
# player.
_ONE = "= :player"
_ALL = "IS NOT NULL"
NAMED_QUERIES = {
    "rushing-yards": (
        "A player's rushing yards in a game. Yards after a lateral on a rush count for the player "
        "who gained them.",
        _RUSHING_YARDS.format(player=_ONE),
    ),
    "passing-yards": (
        "A player's passing yards in a game, from the line of scrimmage to the end of the play: "
        "completed passes, and the runs after the catch and after laterals.",
        _PASSING_YARDS.format(player=_ONE),
    ),
    "solo-tackles": (
        "A player's solo tackles in a game: officially every tackle that is not an assist, "
        "and separately those made without help.",
        _SOLO_TACKLES.format(player=_ONE),
    ),
    "touchdowns": (
        "A game's touchdowns in order: when the play started, who scored, and who threw the pass "
        "that led to the score.",
        _TOUCHDOWNS,
    ),
}


@dataclass(frozen=True)
class SoloTackles:
    """Tackles of a player.

    `official`: all tackles except assists; `alone`: those without any help.
    """

    official: int
    alone: int


@dataclass(frozen=True)
class Touchdown:
    """A touchdown.

    `start_timestamp`: milliseconds since 1970 at the snap; None, like period and clock, before the
    snap arrived. `kind`: `catch`, the kind of run, `interception` or `recovery`. `passer_id`: of
    the pass whose gain scored.
    """

    play_number: int
    event_number: int
    start_timestamp: int | None
    period: int | None
    clock: int | None
    team: str
    kind: str
    scorer_id: str | None
    passer_id: str | None


def rushing_yards_by_player(game_id: str, player_id: str | None = None) -> dict[str, int]:
    """Rushing yards of everybody (or one player) with a rush or a lateral on one.

    Most yards first, then by id.
    """
    return {player: int(yards) for player, yards in _run(_RUSHING_YARDS, game_id, player_id)}


def passing_yards_by_player(game_id: str, player_id: str | None = None) -> dict[str, int]:
    """Passing yards of everybody (or one player) with a completion, most first, then by id."""
    return {player: int(yards) for player, yards in _run(_PASSING_YARDS, game_id, player_id)}


def solo_tackles_by_player(game_id: str, player_id: str | None = None) -> dict[str, SoloTackles]:
    """Solo tackles of everybody (or one player) who has any, most first, then by id."""
    return {
        player: SoloTackles(all_, alone)
        for player, all_, alone in _run(_SOLO_TACKLES, game_id, player_id)
    }


def touchdowns(game_id: str) -> list[Touchdown]:
    """The touchdowns in the order of the game; at most one per play, the last flagged movement."""
    return [Touchdown(*row) for row in db.session.execute(text(_TOUCHDOWNS), {"game": game_id})]


def _run(statement: str, game_id: str, player_id: str | None) -> list[tuple[Any, ...]]:
    who = _ALL if player_id is None else _ONE
    values = {"game": game_id} if player_id is None else {"game": game_id, "player": player_id}
    return [tuple(row) for row in db.session.execute(text(statement.format(player=who)), values)]

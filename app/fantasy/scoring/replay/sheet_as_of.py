"""A team sheet place by place as of a moment of the record, as replay.py counts it. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.scoring import picks
from app.fantasy.scoring.league_gameweek import LeagueGameweek, Stats, member_gameweek
from app.fantasy.scoring.picks import Pick, PickGame
from app.fantasy.scoring.replay import moments
from app.fantasy.standings.queries import LeagueRow
from app.record.queries import GameRow


def picks_as_of(
    member_id: int,
    gameweek: GameweekRow,
    league: LeagueRow,
    games: Sequence[GameRow],
    lines: Mapping[str, Mapping[str, Stats]],
) -> list[Pick]:
    """As `picks.picks`, with the points, statistics and substitutions of that moment.

    A player's games are the present ones. No points are held, because a ruling is known by its
    event. `games` and `lines` are those that moments.games_as_of returns.
    """
    counting = member_gameweek(league, gameweek, games, member_id)
    if not counting.sheets:
        return []
    multipliers = moments.timeline_as_of(counting, lines).multipliers()[0].tolist()
    multiplier_of = dict(zip(counting.sheets[0].picks, multipliers, strict=True))
    game_of = {game.id: game for game in counting.games}
    return [
        replace(
            pick,
            multiplier=multiplier_of[pick.footballer_id],
            games=tuple(
                _game_as_of(game, pick, game_of.get(game.game_id), lines, counting)
                for game in pick.games
            ),
        )
        for pick in picks.picks(member_id, gameweek, league)
    ]


def _game_as_of(
    game: PickGame,
    pick: Pick,
    row: GameRow | None,
    lines: Mapping[str, Mapping[str, Stats]],
    gameweek: LeagueGameweek,
) -> PickGame:
    stats = lines.get(game.game_id, {}).get(pick.footballer_id, {})
    return replace(
        game,
        status=row.status if row else game.status,
        state=row.state if row else {},
        points=gameweek.worth(pick.footballer_id, stats),
        held_points=0,
        stats=stats,
    )

"""A team sheet place by place as the record stood at a cut: what replay.py counts, for one member.

Reads only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.fantasy.market.formats import FORMATS
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.scoring import asof, picks
from app.fantasy.scoring.asof import Stats
from app.fantasy.scoring.picks import Pick, PickGame
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import ScoringRules, points
from app.fantasy.scoring.sheet_points import lineups_of
from app.fantasy.sheets.lineups import counted
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow
from app.record.queries import GameRow


def picks_as_of(
    member_id: int,
    gameweek: GameweekRow,
    league: LeagueRow,
    games: Sequence[GameRow],
    lines: Mapping[str, Mapping[str, Stats]],
) -> list[Pick]:
    """As `picks.picks`, with points, statistics and substitutions of then.

    `games`, `lines`: of asof.games_as_of.

    A player's games are those of now; nothing is held, for a ruling is known by its event.
    """
    games = [game for game in games if league.counts_moved or not game.is_moved]
    now = picks.picks(member_id, gameweek, league)
    sheet = next(
        (
            one
            for one in queries.sheets_of(league.id, gameweek.id, [member_id])
            if one.member_id == member_id
        ),
        None,
    )
    if sheet is None:
        return []
    rules, format = rules_named(league.rules), FORMATS[league.format]
    players = asof.players_of(league.season_id, sheet.picks)
    over = asof.over_clubs(asof.club_statuses(games))
    week = asof.week_then(
        format, players, over, [lines[game.id] for game in games if game.id in lines], rules
    )
    lineups = lineups_of([(sheet.picks, sheet.captain, sheet.vice_captain)], week)
    counts = dict(
        zip(sheet.picks, counted(format, lineups, week.footballers)[0].tolist(), strict=True)
    )
    then = {game.id: game for game in games}
    return [
        replace(
            pick,
            multiplier=counts[pick.footballer_id],
            games=tuple(_then(one, pick, then, lines, rules) for one in pick.games),
        )
        for pick in now
    ]


def _then(
    game: PickGame,
    pick: Pick,
    then: Mapping[str, GameRow],
    lines: Mapping[str, Mapping[str, Stats]],
    rules: ScoringRules,
) -> PickGame:
    stats = lines.get(game.game_id, {}).get(pick.footballer_id, {})
    row = then.get(game.game_id)
    return replace(
        game,
        status=row.status if row else game.status,
        state=row.state if row else {},
        points=points(stats, rules, pick.position),
        held=0,
        stats=stats,
    )

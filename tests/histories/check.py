"""What every store says after a history, against the model: a sentence for each difference.

Read with plain SQL, and from Redis as pages read it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from sqlalchemy import text

from app.audit import verification
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.core import clock
from app.core.db import db
from app.fantasy.gameweeks import live
from app.fantasy.scoring.points import forget_player_points, store_player_points
from app.fantasy.standings.boards import league_board
from app.predictions.projections import store as projections
from app.record import events as ev
from app.record.rebuild import rebuild_game
from tests.fantasy.seasons import plain_season
from tests.fantasy.seasons.plain_facts import Facts, League, Sheet, TeamRules
from tests.fantasy.seasons.plain_rules import PRINTED
from tests.histories.model import Model
from tests.histories.schedule import GAMES, clubs_of
from tests.histories.topics import ListTopics
from tests.histories.world import FORMAT, RULES, World, squads

DEFENCES = "%-DST"
RECORD = ("events", "corrections", "stat_lines", "player_points", "ledger")


def differences(world: World, model: Model) -> list[str]:
    """In an application context; everything has come to rest."""
    db.session.rollback()
    db.session.expunge_all()
    lines = [line for game in range(GAMES) for line in _record(world, model, game)]
    lines += _sheets(world, model)
    lines += _tables(world, model)
    lines += _boards(world, model)
    lines += _guesses(world, model)
    lines += _audit(world, model)
    db.session.rollback()
    return lines


def _rows(statement: str, **values: Any) -> list[Any]:
    return list(db.session.execute(text(statement), values).all())


def differing(what: str, actual: Mapping[Any, Any], expected: Mapping[Any, Any]) -> list[str]:
    """A sentence for each key of which the two say something else."""
    keys = sorted(actual.keys() | expected.keys(), key=str)
    return [
        f"{what} {key}: {actual.get(key)}, should be {expected.get(key)}"
        for key in keys
        if actual.get(key) != expected.get(key)
    ]


def _record(world: World, model: Model, number: int) -> Iterable[str]:
    game, plain = world.games[number], model.games[number]
    entered = {
        row[0]: True
        for row in _rows(
            "SELECT event_number FROM events WHERE game_id = :g AND revision = 0", g=game
        )
    }
    yield from differing(
        f"{game} event", entered, dict.fromkeys(range(1, plain.accepted + 1), True)
    )
    rows = _rows(
        "SELECT event_number, body FROM events WHERE game_id = :g AND valid"
        " AND type NOT IN ('nullify', 'overturn', 'stat_correction')",
        g=game,
    )
    if twice := [n for n, count in Counter(n for n, _ in rows).items() if count > 1]:
        yield f"{game}: two rulings stand of events {twice}"
    yield from differing(
        f"{game} standing", {n: ev.body_from(body) for n, body in rows}, plain.standing()
    )
    lines = _rows(
        "SELECT player_id, stats FROM stat_lines WHERE game_id = :g AND player_id NOT LIKE :d",
        g=game,
        d=DEFENCES,
    )
    expected = plain.lines()
    yield from differing(f"{game} stat line", dict(map(tuple, lines)), expected)
    for rules, worth in PRINTED.items():
        rows = _rows(
            "SELECT player_id, points FROM player_points WHERE game_id = :g AND rules = :r AND "
            "player_id NOT LIKE :d"
            " AND points <> 0",
            g=game,
            r=rules,
            d=DEFENCES,
        )
        points = {
            player: sum(
                (Fraction(worth[stat]) * n * 1000 for stat, n in line.items() if stat in worth),
                Fraction(0),
            )
            for player, line in expected.items()
        }
        yield from differing(
            f"{game} points by {rules} of",
            dict(map(tuple, rows)),
            {p: n for p, n in points.items() if n},
        )
    state = _rows(
        "SELECT status, home_score, away_score FROM game_states WHERE game_id = :g", g=game
    )
    home, away = clubs_of(number)
    yield from differing(
        f"{game} state",
        dict(enumerate(map(tuple, state))),
        {0: ("final", plain.points(home), plain.points(away))},
    )


def _saved(model: Model, member: int, week: int) -> tuple[int, int, int] | None:
    return model.sheets.get((member, week), (0, 1, 2) if week == 1 else None)


def _sheets(world: World, model: Model) -> list[str]:
    stored = {
        (member, week): (tuple(picks), captain, vice)
        for member, week, picks, captain, vice in _rows(
            "SELECT t.member_id, w.week, t.picks, t.captain, t.vice_captain FROM team_sheets t"
            " JOIN gameweeks w ON w.id = t.gameweek_id WHERE w.season_id = :s",
            s=world.season_id,
        )
    }
    expected = {}
    for number, member in enumerate(world.members):
        for week in (1, 2):
            if (saved := _saved(model, number, week)) is not None:
                expected[member, week] = (squads()[saved[0]].picks, *saved[1:])
    return differing("team sheet", stored, expected)


def _facts(world: World, model: Model) -> Facts:
    facts = Facts(weeks=[1], printed=dict(PRINTED))
    for game in model.games:
        for player, line in game.lines().items():
            facts.played[1, player].append(line)
    facts.position = dict(
        map(
            tuple,
            _rows(
                "SELECT footballer_id, position FROM footballer_seasons WHERE season_id = :s",
                s=world.season_id,
            ),
        )
    )
    free, bank, cost = _rows(
        "SELECT free_transfers, bank_limit, transfer_cost FROM team_rules WHERE id = :t",
        t=world.team_rules_id,
    )[0]
    facts.team_rules[world.team_rules_id] = TeamRules(FORMAT, free, bank, cost)
    for number, member in enumerate(world.members):
        squad, captain, vice = _saved(model, number, 1) or (0, 1, 2)
        facts.sheets[member, world.team_rules_id][1] = Sheet(
            list(squads()[squad].picks), captain, vice
        )
    everybody = set(world.members)
    private = {world.members[number] for number in model.joined}
    for league, rules, members in (
        (world.overall, RULES, everybody),
        (world.private, "standard_idp", private),
    ):
        facts.leagues[league] = League(
            str(league), world.team_rules_id, rules, "total", "shared", members
        )
    return facts


def _tables(world: World, model: Model) -> list[str]:
    """Points of everybody; totals and ranks of those who are seen. The tables in Redis."""
    lines, facts = [], _facts(world, model)
    hidden = {world.members[number] for number in model.hidden}
    for league, table in plain_season.recompute(facts).items():
        weeks = table.weeks[1]
        rows = _rows(
            "SELECT member_id, points, transfers, total, rank FROM league_scores WHERE league_id = "
            ":l"
            " AND gameweek_id = :w",
            l=league,
            w=world.weeks[0],
        )
        ordered = sorted(
            {total.points for member, total in weeks.items() if member not in hidden}, reverse=True
        )
        expected = {
            m: (total.points, total.transfers, total.points, ordered.index(total.points) + 1)
            for m, total in weeks.items()
            if m not in hidden
        }
        visible = {m: tuple(columns) for m, *columns in rows if m not in hidden}
        lines += differing(f"league {league} of", visible, expected)
        unseen = {m: (total.points, total.transfers) for m, total in weeks.items() if m in hidden}
        lines += differing(
            f"league {league} of the hidden",
            {m: (p, t) for m, p, t, *_ in rows if m in hidden},
            unseen,
        )
        totals = dict(
            map(
                tuple,
                _rows(
                    "SELECT member_id, total_points FROM league_members WHERE league_id = :l",
                    l=league,
                ),
            )
        )
        lines += differing(
            f"league {league} total of", totals, {m: total.points for m, total in weeks.items()}
        )
        in_redis = {
            int(row.member): row.score for row in league_board(league, world.weeks[0]).page(0, 100)
        }
        lines += differing(
            f"league {league} in Redis of",
            in_redis,
            {m: total.points for m, total in weeks.items()},
        )
    return lines


def _boards(world: World, model: Model) -> list[str]:
    number_of = {str(attempt): number for number, attempt in enumerate(world.attempts)}
    attempts = _rows(
        "SELECT attempt_id, player_id, score, fraud_state, rolled_back_at IS NOT NULL, achieved_at "
        "FROM score_attempts"
        " WHERE mode_id = :m",
        m=world.mode_id,
    )
    days = {number_of[str(row[0])]: f"daily:{row[5]:%Y-%m-%d}" for row in attempts}
    model.board(world.aggregation, days)  # judges what nobody has looked at
    stored = {number_of[str(a)]: (p, s, state, back) for a, p, s, state, back, _ in attempts}
    expected = {
        n: (world.players[score.player], score.score, score.state, score.is_rolled_back)
        for n, score in model.scores.items()
    }
    lines = differing("score", stored, expected)
    mode = db.session.get_one(Mode, world.mode_id)
    game = db.session.get_one(ScoreGame, mode.game_id)
    for record in db.session.scalars(db.select(BoardRecord).filter_by(mode_id=world.mode_id)):
        day = None if record.window_id.startswith("all") else record.window_id
        board = {
            str(world.players[p]): n for p, n in model.board(world.aggregation, days, day).items()
        }
        rows = _rows("SELECT player_id, score FROM board_scores WHERE board_id = :b", b=record.id)
        lines += differing(
            f"board {record.window_id} in PostgreSQL of", {str(p): n for p, n in rows}, board
        )
        counts = dict(
            map(
                tuple,
                _rows("SELECT score, players FROM board_counts WHERE board_id = :b", b=record.id),
            )
        )
        lines += differing(
            f"board {record.window_id}, how many have", counts, Counter(board.values())
        )
        page = open_board(catalogue.spec_of(game, mode, record)).page(0, 100)
        ranked = {
            player: (1 + sum(other > n for other in board.values()), n)
            for player, n in board.items()
        }
        lines += differing(
            f"board {record.window_id} in Redis of",
            {r.member: (r.rank, r.score) for r in page},
            ranked,
        )
    return lines


def _outcome(home: int, away: int) -> int:
    return (home > away) - (home < away)


def _guesses(world: World, model: Model) -> list[str]:
    number_of = {match: number for number, match in enumerate(world.matches)}
    rows = _rows(
        "SELECT g.player_id, g.match_id, g.home, g.away FROM guesses g JOIN matches m ON m.id = "
        "g.match_id"
        " WHERE m.tournament_id = :t",
        t=world.tournament_id,
    )
    stored = {(world.players.index(p), number_of[m]): (h, a) for p, m, h, a in rows}
    lines = differing("guess", stored, model.guesses)
    results = {
        number_of[row[0]]: (row[1], row[2])
        for row in _rows(
            "SELECT id, home_score, away_score FROM matches WHERE tournament_id = :t AND status = "
            "'ended'",
            t=world.tournament_id,
        )
    }
    scores = {n: score for n, game in enumerate(model.games) if (score := game.score()) is not None}
    lines += differing("match", results, scores)
    points: dict[int, int] = {member: 0 for member, _ in model.guesses}
    for (member, match), guess in model.guesses.items():
        if match in scores and _outcome(*guess) == _outcome(*scores[match]):
            points[member] += 100
    rows = _rows(
        "SELECT player_id, points FROM tournament_points WHERE tournament_id = :t",
        t=world.tournament_id,
    )
    lines += differing("guesser", {world.players.index(p): n for p, n in rows}, points)
    audited = _rows(
        "SELECT coalesce(sum(a.points), 0) FROM settlement_audit a JOIN matches m ON m.id = "
        "a.match_id"
        " WHERE m.tournament_id = :t",
        t=world.tournament_id,
    )
    lines += differing("settlement audit", {0: audited[0][0]}, {0: sum(points.values())})
    entries = {
        entry.member_id: entry.points for entry in projections.read_entries(world.tournament_id)
    }
    visible = {
        world.players[member]: n for member, n in points.items() if member not in model.hidden
    }
    return lines + differing("guesser in Redis", entries, visible)


def _audit(world: World, model: Model) -> list[str]:
    faults = [f"audit: {fault}" for fault in verification.verify().faults]
    rows = _rows("SELECT reason FROM audit_entries WHERE actor_id = :m", m=world.moderator)
    return faults + differing(
        "audit entries of", Counter(row[0] for row in rows), Counter(model.decided)
    )


Rows = set[tuple[Any, ...]]


def invalid_rows(world: World) -> tuple[Rows, Rows]:
    """Game, number and revision of the events' invalid rows, and of the valid ones."""
    rows: tuple[Rows, Rows] = set(), set()
    for *row, valid in _rows(
        "SELECT game_id, event_number, revision, valid FROM events WHERE game_id LIKE :g",
        g=f"{world.name}-%",
    ):
        rows[valid].add(tuple(row))
    db.session.rollback()
    return rows


def record_rows(world: World) -> dict[str, list[str]]:
    """All derived rows of the games but when they came, and by which of two copies of a message."""
    rows: dict[str, list[str]] = defaultdict(list)
    for table in RECORD:
        statement = (
            "SELECT (to_jsonb(t) - 'id' - 'ingested_at' - 'closed_at' - 'partition' - "
            f"'offset')::text FROM {table} t"
            " WHERE game_id LIKE :g ORDER BY 1"
        )
        rows[table] = [row[0] for row in _rows(statement, g=f"{world.name}-%")]
    db.session.rollback()
    return rows


def rebuilt(world: World, topics: ListTopics) -> list[str]:
    """Builds the record of every game anew from the log; what is another than before."""
    before = record_rows(world)
    for game in world.games[:GAMES]:
        rebuild_game(game, topics, clock.now(), store_player_points, forget_player_points)  # type: ignore[arg-type]
        live.refresh_game(game, clock.now())
    after = record_rows(world)
    return [
        f"rebuilt {table}: {sorted(set(after[table]) ^ set(before[table]))[:6]}"
        for table in RECORD
        if before[table] != after[table]
    ]

"""What a touchdown costs for a million team sheets.

From the points of footballers to correct totals, ranks and boards.

`python -m benchmarks.live_teams --sheets 1000000` starts a PostgreSQL and a Valkey of its own, and
makes a gameweek of 16 games with so many sheets: 40 % own one star, everybody is in the overall
league and, with `--leagues-of 10`, in one of their friends. Then, in turns: the star scores (his
stat line and the game's version change) and `refresh_behind` runs as its worker runs it; the same
scores are written by a raw variadic ZADD to two sorted sets; the same rows by one UPDATE; a play is
refreshed that gave nobody a point; and a page is looked at. After the last round every total is
compared with the plain rule, worked out by NumPy from the sheets and the points; a wrong one ends
the run with an error.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select, text

from app import create_app
from app.core.db import db
from app.core.postgres.timeouts import Use
from app.core.redis.clients import boards_redis
from app.fantasy.gameweeks.live import refresh_behind, refresh_gameweek
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.seasons import (
    NewSeason,
    ensure_gameweek,
    ensure_season,
    ensure_team_rules,
    set_deadlines,
)
from app.fantasy.scoring.points import store_player_points
from app.fantasy.standings import large_table
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League
from app.fantasy.standings.season_places import season_places
from app.record.models import Club, Game, GameState
from app.record.totals import ChangedLines
from app.settings import Settings
from workers.supervisor.start import running_stack

FORMAT = FORMATS["nfl-classic"]
RULES = "standard"
FOOTBALLERS = 1_700  # about the number on the rosters of a season
CLUBS = 32
OWNED = 0.4  # of all sheets, by the star
KICKOFF = datetime(2026, 9, 13, 17, tzinfo=UTC)
NOW = KICKOFF + timedelta(hours=1)
LOOKED_AT = 20  # leagues of friends whose rows are compared


@dataclass(frozen=True)
class World:
    """`owned[n, places]`: index of the footballer; `captain`, `vice`: places from 0.

    `star`: an index.
    """

    gameweek_id: int
    overall_id: int
    owned: NDArray[np.int32]
    captain: NDArray[np.int8]
    vice: NDArray[np.int8]
    star: int


def _footballer(number: int) -> str:
    return f"F{number:05}"


def _position(number: int) -> str:
    return FORMAT.positions[number % len(FORMAT.positions)]


def club(number: int) -> str:
    """The club of the footballer."""
    return f"C{number // len(FORMAT.positions) % CLUBS:02}"


def _game(number: int) -> str:
    """The game of the footballer's club: the first with the second, the third with the fourth."""
    return f"G{int(club(number)[1:]) // 2:02}"


def _sheets(
    count: int, seed: int
) -> tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.int8], int]:
    """Legal sheets of footballers of their own for each place.

    OWNED of them have the star in the first place.
    """
    chance = np.random.default_rng(seed)
    owned = np.empty((count, len(FORMAT.places)), np.int32)
    for place, slot in enumerate(FORMAT.places):
        fit = [
            number
            for number in range(FOOTBALLERS)
            if _position(number) in slot.accepts
            and number // len(FORMAT.positions) % len(FORMAT.places) == place
        ]
        owned[:, place] = chance.choice(np.array(fit, np.int32), count)
    star = int(owned[0, 0])
    owned[:, 0] = np.where(chance.random(count) < OWNED, star, owned[:, 0])
    starters = len(FORMAT.starters)
    captain = chance.integers(0, starters, count).astype(np.int8)
    vice = ((captain + chance.integers(1, starters, count)) % starters).astype(np.int8)
    return owned, captain, vice, star


def copy(table: str, columns: str, rows: Iterator[tuple[object, ...]]) -> None:
    """Write the rows into the table with COPY."""
    driver = db.session.connection().connection.driver_connection
    assert driver is not None
    with driver.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as into:
        for row in rows:
            into.write_row(row)


def _befriend(values: dict[str, object], leagues: int) -> None:
    """So many leagues more, with all members dealt out to them in turn."""
    db.session.execute(
        text("""
            INSERT INTO leagues (season_id, team_rules_id, slug, name, invite_code, rules,
              commissioner_id)
            SELECT :season_id, :team_rules_id, 'friends-' || n, 'Friends ' || n, 'F' || n, :rules, n
            FROM generate_series(1, :leagues) n
        """),
        {**values, "leagues": leagues},
    )
    db.session.execute(
        text("""
            INSERT INTO league_members (league_id, member_id, team_name)
            SELECT l.id, m.id, 'Team ' || m.id FROM members m
            JOIN leagues l ON l.commissioner_id = 1 + (m.id - 1) % :leagues
        """),
        {"leagues": leagues},
    )


def make_world(count: int, leagues_of: int, seed: int) -> World:
    """Write a season with one gameweek under way, so many sheets, and their leagues."""
    season = ensure_season(
        NewSeason("nfl", 2026, "REG", name="2026", time_zone="UTC", rules=RULES, is_simulated=True)
    )
    gameweek = ensure_gameweek(season, 1, KICKOFF)
    team_rules = ensure_team_rules(season.id, TeamRulesChoice.of(FORMAT.name, "UTC"))
    set_deadlines(season.id)
    db.session.add_all(
        Club(id=f"C{number:02}", name=f"Club {number}", nickname=f"Club {number}", colour="#334455")
        for number in range(CLUBS)
    )
    db.session.flush()
    for pairing in range(CLUBS // 2):
        db.session.add(
            Game(
                id=f"G{pairing:02}",
                season=2026,
                season_type="REG",
                week=1,
                kickoff=KICKOFF,
                home_id=f"C{2 * pairing:02}",
                away_id=f"C{2 * pairing + 1:02}",
            )
        )
        db.session.add(
            GameState(
                game_id=f"G{pairing:02}",
                status="live",
                home_score=0,
                away_score=0,
                state={},
                version=1,
                updated_at=NOW,
            )
        )
    db.session.flush()
    copy(
        "footballers",
        "id, name, club_id, position, number",
        (
            (_footballer(number), f"Footballer {number}", club(number), _position(number), 1)
            for number in range(FOOTBALLERS)
        ),
    )
    members = ((number, f"b{number}", f"Member {number}", "-") for number in range(1, count + 1))
    db.session.execute(text("ALTER TABLE members ALTER id SET GENERATED BY DEFAULT"))
    copy("members", "id, username, display_name, password_hash", members)
    owned, captain, vice, star = _sheets(count, seed)
    values = {"season_id": season.id, "team_rules_id": team_rules.id, "rules": RULES}
    overall = League(
        slug="overall", name="Overall", invite_code="OVERALL", is_overall=True, **values
    )
    db.session.add(overall)
    db.session.flush()
    everybody = ((overall.id, number, f"Team {number}") for number in range(1, count + 1))
    copy("league_members", "league_id, member_id, team_name", everybody)
    if leagues_of:
        _befriend(values, count // leagues_of)
    names = [_footballer(number) for number in range(FOOTBALLERS)]
    places = len(FORMAT.places)
    # saving them is not what is measured
    db.session.execute(text("ALTER TABLE team_sheets DISABLE TRIGGER USER"))
    copy(
        "team_sheets",
        "member_id, team_rules_id, gameweek_id, picks, captain, vice_captain, purchase_prices, "
        "bank, saved_at",
        (
            (
                number + 1,
                team_rules.id,
                gameweek.id,
                [names[n] for n in owned[number]],
                int(captain[number]) + 1,
                int(vice[number]) + 1,
                [0] * places,
                0,
                KICKOFF - timedelta(days=1),
            )
            for number in range(count)
        ),
    )
    db.session.execute(text("ALTER TABLE team_sheets ENABLE TRIGGER USER"))
    gameweek.locked_at = KICKOFF
    db.session.commit()
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
    return World(gameweek.id, overall.id, owned, captain, vice, star)


def touchdown(world: World, yards: int) -> None:
    """The star has run so far by now; six points more than 60 yards before."""
    touched = ChangedLines(
        _game(world.star), {_footballer(world.star): {"rushing_yards": yards}}, {}
    )
    store_player_points([touched])
    db.session.execute(
        text("UPDATE game_states SET version = version + 1 WHERE game_id = :game"),
        {"game": _game(world.star)},
    )
    db.session.commit()


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _raw_zadd(scores: list[tuple[str, int]]) -> None:
    """Write the same members and scores with raw ZADD, 10,000 per command.

    Into one set of the season and one of the gameweek, as ours.
    """
    pipeline = boards_redis().pipeline(transaction=False)
    for name in ("raw-season", "raw-gameweek"):
        for begin in range(0, len(scores), 10_000):
            pipeline.zadd(name, dict(scores[begin : begin + 10_000]))
    pipeline.execute()


def _update(world: World) -> None:
    """The rows of those who own the star, each touched once.

    Taken back, so that every round finds the same table.
    """
    db.session.execute(
        text("""
            UPDATE league_members l SET total_points = l.total_points + 1 FROM team_sheets s
            WHERE l.league_id = :league AND l.member_id = s.member_id AND s.picks @> ARRAY[:star]
        """),
        {"league": world.overall_id, "star": _footballer(world.star)},
    )
    db.session.rollback()


def _expected(world: World) -> NDArray[np.int64]:
    """Every sheet's points by the plain rule.

    Nobody is out while all games are played, so captains alone count.
    """
    statement = text("SELECT player_id, points FROM player_points WHERE rules = :rules")
    points_by_player: dict[str, int] = dict(db.session.execute(statement, {"rules": RULES}).all())
    points = np.array(
        [points_by_player.get(_footballer(number), 0) for number in range(FOOTBALLERS)], np.int64
    )
    rows = np.arange(len(world.owned))
    starters: NDArray[np.int64] = points[world.owned[:, : len(FORMAT.starters)]].sum(axis=1)
    return starters + points[world.owned[rows, world.captain]]


def check(world: World) -> None:
    """Compare the totals with the plain rule.

    Every total of the large league in Redis, and all leagues of friends that are looked at.
    """
    right = _expected(world)
    wrong: list[tuple[str, int]] = []
    for by in (large_table.TOTALS, large_table.WEEK):
        if large_table.large_table(world.overall_id, by) is None:
            sys.exit(f"Redis has not the latest {by} of the overall league")
        entries: Any = boards_redis().zrange(
            large_table.order_key(world.overall_id, by), 0, -1, withscores=True
        )
        if [name for name, _ in entries] != [
            name for name, _ in sorted(entries, key=lambda entry: (entry[1], entry[0]))
        ]:
            sys.exit(f"the {by} of the overall league are out of order")
        totals = {int(name): -int(points) for name, points in entries}
        wrong += [(by, n + 1) for n in range(len(right)) if totals.get(n + 1) != right[n]]
    friends = db.session.scalars(
        select(League.id).where(~League.is_overall).order_by(League.id).limit(LOOKED_AT)
    ).all()
    for league_id in friends:
        totals = {member: place.total for member, place in (season_places(league_id) or {}).items()}
        points_of = {score.member_id: score.points for score in live_scores([league_id])}
        wrong += [
            ("friends", member)
            for member, total in totals.items()
            if not total == points_of.get(member, 0) == right[member - 1]
        ]
    db.session.rollback()
    if wrong:
        sys.exit(f"{len(wrong):,} totals are wrong, the first: {wrong[:3]}")
    looked = f", and of {len(friends)} leagues of friends when looked at" if friends else ""
    print(
        f"Every one of {len(right):,} totals is right, of the season and of the gameweek{looked}.",
        flush=True,
    )


def _look(world: World) -> float:
    """Seconds until a page of fifty of the overall league is read."""
    table = large_table.large_table(world.overall_id)
    if table is None:
        sys.exit("Redis has not the latest table of the overall league")
    begun = time.perf_counter()
    live_scores([world.overall_id], members=table.points(0, 50))
    return time.perf_counter() - begun


class _Seconds(NamedTuple):
    """Of one round. `idle`: a refresh that changes no points; `page`: fifty rows."""

    refresh: float
    zadd: float
    update: float
    idle: float
    page: float


def _measure(world: World, rounds: int) -> None:
    print(
        "| round | refreshed | raw ZADD | ratio | one UPDATE | ratio | no points | page of 50 "
        f"|\n|{'---|' * 8}"
    )
    rounds_taken: list[_Seconds] = []
    touched = np.flatnonzero((world.owned == world.star).any(axis=1))
    for number in range(1, rounds + 1):
        touchdown(world, 60 * number)
        refresh = _seconds(lambda: refresh_behind(world.gameweek_id, NOW))
        points = _expected(world)
        scores = [(str(n + 1), int(points[n])) for n in touched]
        zadd = _seconds(lambda scores=scores: _raw_zadd(scores))  # type: ignore[misc]
        update = _seconds(lambda: _update(world))
        page = _look(world)
        touchdown(world, 60 * number)
        idle = _seconds(lambda: refresh_behind(world.gameweek_id, NOW))
        rounds_taken.append(_Seconds(refresh, zadd, update, idle, page))
        print(_row(str(number), rounds_taken[-1]), flush=True)
    print(_row("median", _Seconds(*map(statistics.median, zip(*rounds_taken, strict=True)))))


def _row(name: str, taken: _Seconds) -> str:
    return (
        f"| {name} | {taken.refresh:.2f} s | {taken.zadd:.2f} s | {taken.zadd / taken.refresh:.2f} "
        f"| {taken.update:.2f} s | {taken.update / taken.refresh:.2f} "
        f"| {taken.idle:.3f} s | {taken.page:.3f} s |"
    )


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--sheets", type=int, default=1_000_000)
    parser.add_argument(
        "--leagues-of",
        type=int,
        default=0,
        help="everybody is also in a league of so many (0: not)",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="pressbox-live-") as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as settings,
        # As the owner of the tables, who may vacuum them.
        create_app(replace(settings, database_url=settings.owner_url), Use.UPKEEP).app_context(),
    ):
        world = make_world(arguments.sheets, arguments.leagues_of, arguments.seed)
        print(f"{arguments.sheets:,} sheets, leagues of {arguments.leagues_of}", flush=True)
        touchdown(world, 0)
        print(
            "First refresh of everybody: "
            f"{_seconds(lambda: refresh_gameweek(world.gameweek_id, NOW)):.1f} s\n"
        )
        _measure(world, arguments.rounds)
        check(world)


if __name__ == "__main__":
    main()

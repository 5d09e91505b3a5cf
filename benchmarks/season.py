"""A whole season from an empty database to final tables, through the broker.

Goals: 272 games below 60 s, and no difference from a plain recomputation.

`python -m benchmarks.season` starts stores and every process of ours in a temporary folder. Then
the clock runs: the demo's members, leagues and market are made, team sheets are picked and locked
for every gameweek of 16 games, all events go into the broker, 16 games at a time, and each gameweek
is settled when the record and the tables have them. Beside it, without a database: every game's
stat lines and points from its script, and every team sheet by a loop over its footballers; whatever
differs from the tables is counted and ends the run with an error. The tables are also added up anew
in the database.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy import text

from app import create_app
from app.accounts import services as accounts
from app.core import clock
from app.core.db import db, upsert
from app.demo.logins import DEMO_PASSWORD
from app.demo.market import market
from app.demo.season import COMPETITION, DemoFixture, DemoSeason, DemoWeek, demo_season
from app.demo.seed_teams import make_leagues, pick_teams_for
from app.demo.year.tables import final_tables, rebuild
from app.fantasy.gameweeks import after_deadline, settlement
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.market.seasons import (
    NewSeason,
    ensure_gameweek,
    ensure_season,
    gameweeks_of,
    set_deadlines,
)
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import points
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.record import events as ev
from app.record.models import Club, Footballer
from app.record.rules.team_defence import all_credits, all_lines, has_begun
from app.record.script import GameScript
from app.record.services import store_defences
from app.settings import Settings
from benchmarks.games import (
    Sent,
    encoded,
    named,
    register,
    send,
    side_by_side,
    simulated,
    wait_until,
    wait_until_shown,
)
from benchmarks.live_points import Player, Sheet, by_loop
from workers.supervisor.start import running_stack

A_WEEK = 16
BEFORE = timedelta(hours=6)  # before the deadline: when teams are picked

Lines = dict[str, dict[str, int]]  # stats by player


def _planned(games: int) -> DemoSeason:
    """Plan the demo's season with other gameweeks, all in the past."""
    now = clock.now()
    season = demo_season(now)
    weeks = []
    for number in range(1, -(-games // A_WEEK) + 1):
        count = min(A_WEEK, games - A_WEEK * (number - 1))
        kickoff = now - timedelta(weeks=-(-games // A_WEEK) + 1 - number)
        scripts = simulated(count, season.season, number, kickoff, first=A_WEEK * number)
        named_so = [
            named(script, f"week-{number:02}-{place:02}") for place, script in enumerate(scripts)
        ]
        fixtures = tuple(DemoFixture(script, script.kickoff, "finished") for script in named_so)
        weeks.append(DemoWeek(number, fixtures))
    return replace(season, weeks=tuple(weeks))


def _scripts_of(season: DemoSeason) -> list[GameScript]:
    return [fixture.script for week in season.weeks for fixture in week.fixtures]


def _open_season(season: DemoSeason) -> tuple[Season, Sequence[Gameweek]]:
    """Create clubs, footballers, accounts, market, leagues and every gameweek's locked sheets."""
    demo_season = ensure_season(
        NewSeason(
            COMPETITION,
            season.season,
            "REG",
            name="Benchmark",
            time_zone="UTC",
            rules="half_ppr_idp",
            is_simulated=True,
        )
    )
    upsert(Club, ["id"], [asdict(club) for club in season.clubs])
    upsert(Footballer, ["id"], [asdict(footballer) for footballer in season.footballers])
    store_defences([club.id for club in season.clubs])
    register(_scripts_of(season))
    for week in season.weeks:
        ensure_gameweek(demo_season, week.number, week.deadline)
    set_deadlines(demo_season.id)
    on_market = [OnMarket(player.id, player.position) for player in market()]
    put_on_market(demo_season, on_market, {player.id: player.price for player in market()})
    for team in season.teams:
        accounts.register(team.account.username, team.account.display_name, DEMO_PASSWORD, [])
    ensure_overall_league(demo_season)
    make_leagues(season, demo_season)
    gameweeks = gameweeks_of(demo_season.id)
    for week, gameweek in zip(season.weeks, gameweeks, strict=True):
        pick_teams_for(season.teams, demo_season, gameweek, week.deadline - BEFORE)
        after_deadline.lock_gameweek(gameweek.id, week.deadline)
    return demo_season, gameweeks


def plain_lines(script: GameScript, sent: Sequence[Sent]) -> Lines:
    """Compute stats by player of the game as it stands in the end, event by event."""
    standing: dict[int, tuple[int, ev.Body]] = {}
    for event_sent in sent:
        event = ev.decode(event_sent.value)
        standing[event.event_number] = (event.play_number, event.body)
        if isinstance(event.body, ev.Correction):
            plays = {
                target: standing.pop(target)[0]
                for target in event.body.targets
                if target in standing
            }
            if not isinstance(event.body, ev.Nullify):
                standing[event.body.event] = (plays[event.body.event], event.body.ruling)
    events = [(number, play, body) for number, (play, body) in sorted(standing.items())]
    clubs = (script.home.id, script.away.id)
    lines = all_lines(all_credits(events, clubs), clubs, has_begun=has_begun(events))
    return {player: dict(line.stats) for player, line in lines.items() if line.stats}


def _plain_totals(
    season_id: int, lines: Mapping[int, Sequence[Lines]]
) -> dict[tuple[int, int], int]:
    """Compute points by league and member from these stat lines by week, sheet by sheet."""
    at = db.session.execute(text("SELECT footballer_id, position FROM footballer_seasons"))
    positions: dict[str, str] = dict(at.all())
    rows = db.session.execute(
        text("""
            SELECT l.id, l.rules, r.format, s.member_id, w.week, s.picks, s.captain, s.vice_captain,
              s.transfer_cost
            FROM leagues l JOIN team_rules r ON r.id = l.team_rules_id
            JOIN team_sheets s ON s.team_rules_id = r.id JOIN gameweeks w ON w.id = s.gameweek_id
            JOIN league_members m ON (m.league_id, m.member_id) = (l.id, s.member_id)
            WHERE l.season_id = :season AND w.week >= l.first_week
        """),
        {"season": season_id},
    )
    totals: dict[tuple[int, int], int] = defaultdict(int)
    for league, rules, format_name, member, week, picks, captain, vice_captain, cost in rows:
        scoring = rules_named(rules)
        players = []
        for pick in picks:
            position = positions.get(pick, "")
            earned = [points(game[pick], scoring, position) for game in lines[week] if pick in game]
            players.append(Player(position, sum(earned), 0, bool(earned), is_over=True))
        total, _ = by_loop(FORMATS[format_name], Sheet(players, captain - 1, vice_captain - 1))
        totals[league, member] += total - cost
    return dict(totals)


def _differences(
    season: DemoSeason, season_id: int, sent: Mapping[str, Sequence[Sent]]
) -> list[str]:
    """Return how the database differs from the plain recomputation."""
    differences, by_week = [], defaultdict(list)
    stored: dict[str, Lines] = defaultdict(dict)
    for game, player, stats in db.session.execute(
        text("SELECT game_id, player_id, stats FROM stat_lines")
    ):
        if stats:
            stored[game][player] = stats
    for script in _scripts_of(season):
        lines = plain_lines(script, sent[script.game_id])
        by_week[script.week].append(lines)
        differences += [
            f"{script.game_id} {who}: {stored[script.game_id].get(who)}, plainly {lines.get(who)}"
            for who in sorted(lines.keys() | stored[script.game_id].keys())
            if lines.get(who) != stored[script.game_id].get(who)
        ]
    totals = _plain_totals(season_id, by_week)
    rows = db.session.execute(text("SELECT league_id, member_id, total_points FROM league_members"))
    tables = {(league, member): total for league, member, total in rows}
    differences += [
        f"league {key[0]}, member {key[1]}: {tables.get(key)}, plainly {totals.get(key)}"
        for key in sorted(tables.keys() | totals.keys())
        if tables.get(key, 0) != totals.get(key, 0)
    ]
    return differences


def _run(settings: Settings, games: int) -> None:
    season = _planned(games)
    sent = {script.game_id: encoded(script) for script in _scripts_of(season)}
    events = list(side_by_side(list(sent.values())))
    began = time.perf_counter()
    demo_season, gameweeks = _open_season(season)
    opened = time.perf_counter()
    send(settings, events)
    committed = wait_until_shown(list(sent), len(events))
    shown_at = time.perf_counter()
    ids = [gameweek.id for gameweek in gameweeks]
    for gameweek_id in ids:
        settlement.settle(gameweek_id, clock.now())
    unsettled = text("SELECT count(*) FROM gameweeks WHERE settled_at IS NULL")
    wait_until(lambda: db.session.scalar(unsettled) == 0, "every gameweek settled")
    ended = time.perf_counter()
    tables = final_tables(demo_season.id)
    differences = _differences(season, demo_season.id, sent) + rebuild(demo_season.id, clock.now())
    print(f"{games} games, {len(events)} events, {len(ids)} gameweeks, {len(tables)} leagues\n")
    print("| stage | s |\n|---|---|")
    print(f"| season, members, market, team sheets | {opened - began:.1f} |")
    print(f"| events in the record | {committed - opened:.1f} |")
    print(f"| tables that show the last of them | {shown_at - committed:.1f} |")
    print(f"| every gameweek settled | {ended - shown_at:.1f} |")
    print(f"| **all** (goal for 272 games: 60) | **{ended - began:.1f}** |")
    print(f"\nDifferences to the plain recomputation: {len(differences)}")
    if differences:
        raise SystemExit("\n".join(differences[:20]))


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--games", type=int, default=272)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=True) as stack,
        create_app(stack).app_context(),
    ):
        _run(stack, arguments.games)


if __name__ == "__main__":
    main()

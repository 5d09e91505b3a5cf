"""How fast draft leagues process their waivers in one night, beside a bare loop over the same rows.

    python -m benchmarks.waivers --leagues 1000

Each league has twelve full rosters, blind bids and five open claims per team. All of them are due
at the same moment, and `run_due` processes them as the worker does. Then a bare loop goes over the
same rows: per league it reads the claims, gives each footballer to the highest bid, and writes each
claim, and the spots and the budget of each winner. It has no rules beyond that, and no log,
line-ups or notices. Printed: claims per second of both, their ratio, and statements per league.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from sqlalchemy import event, insert, select, text

from app import create_app
from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues import league_clock
from app.draft_leagues.settings import PRESETS, WaiverSettings
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.draft_leagues.waivers.models import WaiverClaim
from app.embedded.stack import Stack
from app.fantasy.market import seasons
from app.fantasy.market.models import FootballerSeason
from app.record.models import Club, Footballer, Game
from app.settings import Settings
from workers.supervisor.prepare import bring_up_to_date

TEAMS = 12
FREE = 40
CLAIMS = 5  # of each team
SEASON_BEGAN = datetime(2026, 9, 14, 17, tzinfo=UTC)  # a Monday
RUN = datetime(2026, 9, 16, 13, tzinfo=UTC)  # 9:00 in New York on the Wednesday after
FIRST_KICKOFF = datetime(2026, 9, 20, 17, tzinfo=UTC)
SETTINGS = msgspec.structs.replace(
    PRESETS["redraft"], franchises=TEAMS, waivers=WaiverSettings("blind_bids", days=("WED",))
)
DRAFTED = TEAMS * SETTINGS.roster.active
CLUBS = ("AAA", "BBB")
POSITIONS = ("QB", "RB", "RB", "WR", "WR", "TE")


def _make_season() -> int:
    """Make a season of two weeks with its footballers, and return its id."""
    ids = [f"p{number}" for number in range(DRAFTED + FREE)]
    for club in CLUBS:
        db.session.add(Club(id=club, name=club, nickname="", colour="#224466"))
    db.session.flush()
    people = [
        {
            "id": each,
            "name": f"Player {each}",
            "position": POSITIONS[number % len(POSITIONS)],
            "club_id": CLUBS[number % 2],
        }
        for number, each in enumerate(ids)
    ]
    db.session.execute(insert(Footballer), people)
    new = seasons.NewSeason("nfl", 2026, "REG", "NFL 2026", "America/New_York", is_simulated=True)
    season = seasons.ensure_season(new)
    market = [
        {
            "season_id": season.id,
            "footballer_id": each["id"],
            "position": each["position"],
            "price": 100,
            "start_price": 100,
        }
        for each in people
    ]
    db.session.execute(insert(FootballerSeason), market)
    for week in (1, 2):
        kickoff = FIRST_KICKOFF + (week - 1) * timedelta(days=7)
        game = {"season": 2026, "season_type": "REG", "week": week, "kickoff": kickoff}
        db.session.add(Game(id=f"g{week}", home_id=CLUBS[0], away_id=CLUBS[1], **game))
        db.session.flush()
        seasons.ensure_gameweek(season, week, kickoff)
    db.session.commit()
    return season.id


# Everything that a season in progress has, of all leagues at once.
_IN_SEASON = (
    """
    UPDATE franchises f SET member_id = m.id FROM members m WHERE m.username = 'team' || f.number
    """,
    """
    INSERT INTO league_members (league_id, member_id, team_name)
    SELECT league_id, member_id, 'Team ' || number FROM franchises
    ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO roster_transactions
      (league_id, number, kind, content, franchises, reason, made_at)
    SELECT d.league_id, n + 1, 'drafted',
      jsonb_build_object('moves', jsonb_build_array(jsonb_build_object(
        'footballer_id', 'p' || n, 'from_franchise', NULL, 'to_franchise', n % :teams + 1))),
      ARRAY[n % :teams + 1], '', :began
    FROM draft_leagues d, generate_series(0, :drafted - 1) n
    """,
    """
    INSERT INTO roster_spots (league_id, footballer_id, franchise, spot, since, number)
    SELECT league_id, 'p' || n, n % :teams + 1, 'active', :began, n + 1
    FROM draft_leagues, generate_series(0, :drafted - 1) n
    """,
    """
    INSERT INTO franchise_budgets (league_id, franchise, amount)
    SELECT league_id, number, 100 FROM franchises
    """,
    """
    INSERT INTO waiver_claims
      (league_id, franchise, footballer_id, drop_id, bid, position, placed_at)
    SELECT league_id, number, 'p' || (:drafted + (number * 7 + n * 3) % :free),
      'p' || (number - 1 + (n - 1) * :teams), (number * 5 + n * 11) % 20, n, :began
    FROM franchises, generate_series(1, :claims) n
    """,
    "UPDATE draft_leagues SET phase = 'season'",
    "ANALYZE",
)


def _make_leagues(season_id: int, count: int) -> None:
    """Make draft leagues with full rosters and open claims, all run by the same members."""
    members = [
        {"username": f"team{number}", "display_name": f"Team {number}", "password_hash": "-"}
        for number in range(1, TEAMS + 1)
    ]
    db.session.execute(insert(Member), members)
    first = db.session.scalars(select(Member.id).where(Member.username == "team1")).one()
    for number in range(count):
        new = NewDraftLeague(f"League {number}", "Team 1", season_id, SETTINGS)
        setup.add_draft_league(first, new, SEASON_BEGAN)
    values = {
        "teams": TEAMS,
        "drafted": DRAFTED,
        "free": FREE,
        "claims": CLAIMS,
        "began": SEASON_BEGAN,
    }
    for statement in _IN_SEASON:
        used = {name: value for name, value in values.items() if f":{name}" in statement}
        db.session.execute(text(statement), used)
    db.session.commit()


_BARE_CLAIMS = text("""
    SELECT id, franchise, footballer_id, drop_id, bid FROM waiver_claims
    WHERE league_id = :league_id ORDER BY bid DESC, franchise, position
""")
_BARE_RESULT = text("UPDATE waiver_claims SET result = :result WHERE id = :id")
_BARE_SPOT = text("""
    UPDATE roster_spots SET franchise = :franchise
    WHERE league_id = :league_id AND footballer_id IN (:footballer_id, :drop_id)
""")
_BARE_BUDGET = text("""
    UPDATE franchise_budgets SET amount = amount - :bid
    WHERE league_id = :league_id AND franchise = :franchise
""")


def _bare_loop(leagues: list[int]) -> None:
    for league_id in leagues:
        owners: dict[str, int] = {}
        for claim in db.session.execute(_BARE_CLAIMS, {"league_id": league_id}).mappings().all():
            winner = owners.setdefault(claim["footballer_id"], claim["franchise"])
            is_won = winner == claim["franchise"]
            db.session.execute(
                _BARE_RESULT, {"id": claim["id"], "result": "won" if is_won else "lost"}
            )
            if is_won:
                values = {**claim, "league_id": league_id}
                db.session.execute(_BARE_SPOT, values)
                db.session.execute(_BARE_BUDGET, values)
        db.session.commit()


class _Statements:
    """Counts the statements that the database gets."""

    def __init__(self) -> None:
        self.count = 0
        event.listen(db.engine, "before_cursor_execute", self._note)

    def _note(self, *_: object) -> None:
        self.count += 1


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leagues", type=int, default=1000)
    count = parser.parse_args().leagues
    with tempfile.TemporaryDirectory() as folder, Stack(Settings(var=Path(folder))) as stack:
        app = create_app(stack.settings)
        with app.app_context():
            bring_up_to_date(stack.settings)
            _make_leagues(_make_season(), count)
            _measure(count)


def _measure(count: int) -> None:
    claims = count * TEAMS * CLAIMS
    leagues = list(db.session.scalars(text("SELECT league_id FROM draft_leagues ORDER BY 1")))
    db.session.commit()
    statements = _Statements()
    began = time.perf_counter()
    processed = league_clock.settle_all(RUN)
    run_seconds, run_statements = time.perf_counter() - began, statements.count
    assert processed == count, processed
    results = db.session.scalars(select(WaiverClaim.result)).all()
    assert len(results) == claims
    assert None not in results
    began = time.perf_counter()
    _bare_loop(leagues)
    bare_seconds = time.perf_counter() - began
    print(f"{count} leagues of {TEAMS} teams, {claims} claims, {results.count('won')} won")
    for name, seconds in (("runs", run_seconds), ("bare loop", bare_seconds)):
        print(f"{name:<12} {seconds:>8.1f} s {claims / seconds:>8.0f} claims/s")
    print(
        json.dumps(
            {
                "ratio": round(run_seconds / bare_seconds, 2),
                "statements_per_league": round(run_statements / count, 1),
                "ms_per_league": round(1000 * run_seconds / count, 1),
            }
        )
    )


if __name__ == "__main__":
    main()

"""A whole simulated season from the command line, and its tables recomputed plainly."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import text

from app.cli import main
from app.cli import season as commands
from app.core.db import db
from tests.commands import use_here
from tests.conftest import emptied
from tests.fantasy.seasons import plain_facts, plain_season
from tests.fantasy.seasons.plain_facts import Facts
from tests.fantasy.seasons.plain_season import Table

# The whole season is played in the first test's set-up; test_simulation.py does the same with a
# small one.
pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]

GAMEWEEKS, LEAGUES, GAMERS = 18, 12, 200


@dataclass(frozen=True)
class Season:
    id: int
    result: Result
    seconds: float
    facts: Facts
    tables: dict[int, Table]


def simulate(*more: str) -> Result:
    sizes = ["--gameweeks", str(GAMEWEEKS), "--leagues", str(LEAGUES), "--gamers", str(GAMERS)]
    return CliRunner().invoke(main, ["season", "simulate", "--seed", "1", *sizes, *more])


@pytest.fixture(scope="module")
def season(_migrated: Flask) -> Iterator[Season]:
    with pytest.MonkeyPatch.context() as patch, emptied(_migrated):
        use_here(patch, commands, _migrated)
        began = time.monotonic()
        result = simulate("--all", "--check")
        assert result.exit_code == 0, (result.output, result.exception)
        seconds = time.monotonic() - began
        season_id = db.session.scalars(text("SELECT id FROM seasons WHERE is_simulated")).one()
        facts = plain_facts.read(db.session, season_id)
        yield Season(season_id, result, seconds, facts, plain_season.recompute(facts))


def count(statement: str) -> int:
    return int(db.session.scalars(text(f"SELECT count(*) FROM {statement}")).one())


def test_every_number_of_every_gameweek_and_table_is_the_recomputed_one(
    season: Season, measured: Callable[[str], None]
) -> None:
    assert plain_season.differences(db.session, season.id, season.tables) == []
    rows = sum(len(members) for table in season.tables.values() for members in table.weeks.values())
    sheets = sum(map(len, season.facts.sheets.values()))
    measured(
        f"a season of {GAMEWEEKS} gameweeks, {LEAGUES} leagues, {GAMERS} gamers, {sheets} team "
        "sheets: simulated and "
        f"added up anew in {season.seconds:.0f} s; all {rows} results equal the plain recomputation"
    )


def test_the_tables_that_the_command_prints_are_the_recomputed_ones(season: Season) -> None:
    names = dict(
        db.session.execute(
            text("SELECT member_id || ' ' || league_id, team_name FROM league_members")
        ).all()
    )
    expected = set()
    for league, table in season.tables.items():
        has_matches = season.facts.leagues[league].mode == "head_to_head"
        for member, (rank, total, won) in table.final.items():
            points = f"{Decimal(total) / 1000:.3f}"
            points = points.removesuffix("0")  # the third decimal is printed where there is one
            expected.add(
                (
                    str(rank),
                    names[f"{member} {league}"],
                    *([str(won)] if has_matches else []),
                    points,
                )
            )
    printed = set()
    for line in season.result.stdout.splitlines():
        if line[:4].strip().isdigit():
            name, *numbers = line[6:42].rstrip(), *line[42:].split()
            printed.add((line[:4].strip(), name, *numbers))
    assert printed == expected


def test_the_season_is_as_large_as_it_should_be_and_every_rule_was_needed(season: Season) -> None:
    assert count("gameweeks WHERE settled_at IS NOT NULL") == GAMEWEEKS
    assert (len(season.tables), count("members")) == (LEAGUES, GAMERS)
    facts = season.facts
    assert {(league.mode, league.ties) for league in facts.leagues.values()} >= {
        (mode, ties)
        for mode in ("total", "head_to_head")
        for ties in ("shared", "fewest_transfers", "latest_gameweek")
    }
    formats = {rule.format for rule in facts.team_rules.values()}
    assert formats == {"nfl-classic", "nfl-superflex", "nfl-team-defence", "nfl-offence"}
    assert {rule.cost for rule in facts.team_rules.values()} >= {4000, 6000}
    assert count("team_rules WHERE lock = 'game'") == 2
    needed = {
        "carried over": count("team_sheets WHERE is_carried"),
        "transfers that cost points": count("team_sheets WHERE transfer_cost > 0"),
        "substitutes who came on": count(
            "sheet_points p JOIN team_sheets s ON s.id = p.team_sheet_id"
            " WHERE 0 = ANY(multipliers[1:9]) AND 1 = ANY(multipliers[cardinality(multipliers) - "
            "3:])"
        ),
        "vice-captains doubled": count(
            "sheet_points p JOIN team_sheets s ON s.id = p.team_sheet_id WHERE "
            "multipliers[vice_captain] = 2"
        ),
        "games against the average": count("matchups WHERE away_id IS NULL"),
        "corrections after the settlement": count("corrections WHERE kind = 'stat_correction'"),
        "adjustments": count("score_adjustments"),
        "changes of rules": count("rule_changes"),
        "removed": count("league_bans"),
        "left": count(
            "league_scores s WHERE NOT EXISTS (SELECT FROM league_members m"
            " WHERE (m.league_id, m.member_id) = (s.league_id, s.member_id))"
        ),
        "custom rules": count("leagues WHERE rules LIKE 'custom-%'"),
        "notices of corrections": count("notices WHERE kind = 'correction'"),
    }
    assert all(needed.values()), needed
    assert needed["corrections after the settlement"] == 3 * GAMEWEEKS


def test_simulating_it_again_changes_nothing(season: Season) -> None:
    again = simulate("--all")
    assert again.stdout == season.result.stdout[: len(again.stdout)]
    assert "0 lineups saved and 0 refused" in again.stderr


def test_a_season_of_other_numbers_is_refused(season: Season) -> None:
    refused = CliRunner().invoke(main, ["season", "simulate", "--seed", "1", "--gamers", "50"])
    assert refused.exit_code == 1
    assert "another --seed" in refused.output


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE league_scores SET points = points + 1 WHERE ctid = (SELECT min(ctid) FROM "
        "league_scores)",
        "UPDATE league_scores SET rank = rank + 1 WHERE ctid = (SELECT max(ctid) FROM "
        "league_scores)",
        "UPDATE league_scores SET match_points = 1 WHERE ctid ="
        " (SELECT min(ctid) FROM league_scores WHERE match_points = 3)",
        "UPDATE league_members SET total_points = total_points - 1 WHERE ctid = (SELECT min(ctid) "
        "FROM league_members)",
        "DELETE FROM league_scores WHERE ctid = (SELECT min(s.ctid) FROM league_scores s JOIN "
        "league_members m"
        " USING (league_id, member_id) JOIN leagues l ON l.id = s.league_id JOIN team_sheets t"
        " USING (member_id, gameweek_id, team_rules_id))",
        "UPDATE stat_lines SET stats = stats || '{\"rushing_yards\": 999}' WHERE (game_id, "
        "player_id) ="
        " (SELECT l.game_id, l.player_id FROM stat_lines l JOIN team_sheets t ON "
        "t.picks[t.captain] = l.player_id"
        " JOIN gameweeks w ON w.id = t.gameweek_id JOIN games g ON g.id = l.game_id AND g.week = "
        "w.week LIMIT 1)",
    ],
    ids=["points", "rank", "match points", "total", "missing", "stat line"],
)
def test_one_wrong_number_would_be_found(season: Season, change: str) -> None:
    changed = db.session.execute(text(change))
    assert changed.rowcount == 1
    tables = plain_season.recompute(plain_facts.read(db.session, season.id))
    differences = plain_season.differences(db.session, season.id, tables)
    db.session.rollback()
    assert differences

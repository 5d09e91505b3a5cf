"""Three real games.

Tables of two leagues after every play, ledger, statistics, points, and every page of a game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from flask import Flask
from sqlalchemy import text

from app.accounts import services as accounts
from app.accounts.models import Member
from app.core.db import db
from app.fantasy.market.formats import FORMATS, Slot
from app.fantasy.scoring.export import points_rows, stats_rows
from app.fantasy.standings.models import League
from app.record.script import Footballer, GameScript
from app.record.services import store_script
from tests.conftest import PASSWORD
from tests.golden import site, world
from tests.golden.masking import masked
from tests.golden.tables import after_every_play
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.real_games import FILES, QUICK, name_of, real_game

WEEK = 1
TEAMS = 8
RULES = ("standard", "ppr", "half_ppr_idp")


def record(app: Flask, folder: Path) -> None:
    files = [file for file in FILES if name_of(file) in QUICK[:3]]
    scripts = [
        replace(real_game(file), season=2026, season_type="REG", week=WEEK) for file in files
    ]
    assert len(scripts) == 3, "the real games are missing: see the README"
    with world.empty(app):
        for script in scripts:
            store_script(script)
        _make_leagues(scripts)
        (folder / "tables.txt").write_text("\n".join(after_every_play(scripts, WEEK)))
        for script in scripts:
            _write_game(app, script.game_id, folder)


def _make_leagues(scripts: list[GameScript]) -> None:
    members = [
        accounts.register(f"team-{number}", f"Gamer {number}", PASSWORD) for number in range(TEAMS)
    ]
    teams = {member.id: f"Team {member.id}" for member in members if isinstance(member, Member)}
    total = make_league(members[0].id, teams, slug="total", rules="ppr")
    matched = League(
        season_id=total.season_id,
        team_rules_id=total.team_rules_id,
        slug="matched",
        name="Matched",
        invite_code="MATCHED",
        rules="half_ppr_idp",
        mode="head_to_head",
        commissioner_id=members[0].id,
    )
    db.session.add(matched)
    db.session.flush()
    db.session.execute(
        text(
            "INSERT INTO league_members (league_id, member_id, team_name) "
            "SELECT :new, member_id, team_name FROM league_members WHERE league_id = :old"
        ),
        {"new": matched.id, "old": total.id},
    )
    footballers = [footballer for script in scripts for footballer in script.footballers]
    for number, member_id in enumerate(teams):
        picks = _picks(footballers, Random(number))  # noqa: S311 (a team, not a secret)
        make_sheet(member_id, total, picks, captain=picks[0], vice=picks[1])
    db.session.commit()


def _picks(footballers: list[Footballer], rng: Random) -> list[str]:
    """One footballer for each place, nobody twice."""
    picks: list[str] = []
    for slot in FORMATS["nfl-classic"].places:
        fitting = [footballer.id for footballer in footballers if _fits(footballer, slot, picks)]
        picks.append(rng.choice(fitting))
    return picks


def _fits(footballer: Footballer, slot: Slot, picks: list[str]) -> bool:
    return footballer.position in slot.accepts and footballer.id not in picks


def _write_game(app: Flask, game_id: str, folder: Path) -> None:
    (folder / f"{game_id}-ledger.txt").write_text("\n".join(_ledger(game_id)))
    rows = [*stats_rows(game_id), *(row for rules in RULES for row in points_rows(game_id, rules))]
    (folder / f"{game_id}-points.txt").write_text("\n".join(",".join(row) for row in rows))
    client = app.test_client()
    values = {
        "game_id": game_id,
        "player_id": points_rows(game_id, "ppr")[0][1],
        "form": "json",
        "number": "3",
    }
    addresses = app.url_map.bind("localhost")
    answers = []
    for rule in site.readable_rules(app):
        if (
            "game_id" in rule.arguments
            and rule.arguments <= values.keys()
            and not rule.rule.startswith("/console")
        ):
            path = addresses.build(rule.endpoint, {name: values[name] for name in rule.arguments})
            answers.append(f"## GET {path}\n{site.told(site.get(client, path))}\n")
    (folder / f"{game_id}-pages.txt").write_text(masked("\n".join(answers)))


def _ledger(game_id: str) -> Iterator[str]:
    query = text(
        "SELECT (to_jsonb(l) - 'id')::text FROM ledger l WHERE game_id = :game ORDER BY id"
    )
    yield from db.session.scalars(query, {"game": game_id})

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import flask_migrate
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from flask import Flask
from sqlalchemy import create_engine, make_url, select, text

from app.core.db import db
from app.embedded.stack import Stack
from app.fantasy.market.models import Gameweek, SheetDeadline, TeamSheet
from app.fantasy.standings.models import League

MIGRATIONS = Path(__file__).parent.parent / "migrations"


def test_models_and_migrations_agree(app: Flask) -> None:
    flask_migrate.check(directory=str(MIGRATIONS))  # exits with an error when a migration is missing


def test_there_is_one_head() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert len(ScriptDirectory.from_config(config).get_heads()) == 1


@pytest.fixture
def older(stack: Stack) -> Iterator[Flask]:
    """An application on a database of its own, as it was before the whole fantasy game."""
    url = make_url(stack.settings.sqlalchemy_url)
    with create_engine(url, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS older"))
        connection.execute(text("CREATE DATABASE older"))
    older = Flask("older")
    older.config["SQLALCHEMY_DATABASE_URI"] = url.set(database="older").render_as_string(hide_password=False)
    db.init_app(older)
    flask_migrate.Migrate(older, db, directory=str(MIGRATIONS))
    with older.app_context():
        flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0013")
        yield older
        db.session.remove()
        db.engine.dispose()


OF_BEFORE = """
    INSERT INTO members (username, display_name, password_hash, role) VALUES ('ann', 'Ann', '!', 'member');
    INSERT INTO clubs (id, name, nickname, colour) VALUES ('HRB', 'Harbor', '', '#224466');
    INSERT INTO footballers (id, name, club_id, position) VALUES ('H1', 'One', 'HRB', 'QB'), ('H2', 'Two', 'HRB', 'WR');
    INSERT INTO gameweeks (season, season_type, week, name, deadline)
      VALUES (2025, 'REG', 1, 'Gameweek 1', '2025-09-07 17:00+00');
    INSERT INTO leagues (slug, name, invite_code, rules, commissioner_id) VALUES ('row', 'Row', 'ROW', 'ppr', 1);
    INSERT INTO league_members (league_id, member_id, team_name) VALUES (1, 1, 'Anns');
    INSERT INTO team_sheets (member_id, gameweek_id, saved_at) VALUES (1, 1, '2025-09-07 12:00+00');
    INSERT INTO team_sheet_picks (team_sheet_id, place, slot, footballer_id, multiplier, is_vice_captain)
      VALUES (1, 1, 'QB', 'H1', 1, true), (1, 2, 'WR', 'H2', 2, false);
    INSERT INTO sheet_points (team_sheet_id, rules, points) VALUES (1, 'ppr', 12000);
"""


def test_sheets_and_leagues_of_before_come_along_and_go_back(older: Flask) -> None:
    db.session.execute(text(OF_BEFORE))
    db.session.commit()
    flask_migrate.upgrade(directory=str(MIGRATIONS))
    sheet = db.session.scalars(select(TeamSheet)).one()
    assert (sheet.picks, sheet.captain, sheet.vice_captain) == (["H1", "H2", *[""] * 11], 2, 1)
    league = db.session.scalars(select(League)).one()
    assert (league.rules, league.mode, league.team_rules_id) == ("ppr", "total", sheet.team_rules_id)
    locks = db.session.scalars(select(SheetDeadline.locks_at)).one()
    assert locks == db.session.scalars(select(Gameweek.deadline)).one()
    db.session.commit()
    flask_migrate.downgrade(directory=str(MIGRATIONS), revision="0013")
    picks = text("SELECT place, footballer_id, multiplier, is_vice_captain FROM team_sheet_picks ORDER BY place")
    assert [tuple(row) for row in db.session.execute(picks)] == [(1, "H1", 1, True), (2, "H2", 2, False)]
    db.session.commit()
    flask_migrate.upgrade(directory=str(MIGRATIONS))

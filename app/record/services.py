"""What is done to the record besides playing it: storing a game that was imported or simulated."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.record.events import ScriptedEvent, body_to, check
from app.record.models import Club, Footballer, Game, GameState, ScriptStep
from app.record.rules.clubs import same_club
from app.record.script import GameScript, Variant


def store_script(script: GameScript) -> None:
    """Creates or refreshes the clubs, footballers and the game, and keeps its steps for `replay`. Commits.

    Both variants of the game are kept; one that the script has not is forgotten. The same game from a schedule, under
    its other id and not begun, goes.

    Storing the same script again changes nothing; the numbers of a game that has begun are not touched.
    Raises InvalidEvent when a step does not fit the wire schema.
    """
    variants: dict[Variant, tuple[ScriptedEvent, ...]] = {"final": script.events, "as_called": script.as_called or ()}
    for events in variants.values():
        for step in events:
            check(step.body)
    try:
        _upsert(
            Club,
            ["id"],
            [
                {"id": c.id, "name": c.name, "nickname": c.nickname, "colour": c.colour}
                for c in (script.home, script.away)
            ],
        )
        _upsert(
            Footballer,
            ["id"],
            [
                {"id": f.id, "name": f.name, "club_id": f.club_id, "position": f.position, "number": f.number}
                for f in script.footballers
            ],
        )
        _take_the_place_of_its_fixture(script)
        _upsert(
            Game,
            ["id"],
            [
                {
                    "id": script.game_id,
                    "competition": script.competition,
                    "season": script.season,
                    "season_type": script.season_type,
                    "week": script.week,
                    "kickoff": script.kickoff,
                    "home_id": script.home.id,
                    "away_id": script.away.id,
                }
            ],
        )
        db.session.execute(delete(ScriptStep).where(ScriptStep.game_id == script.game_id))
        steps = [
            {
                "game_id": script.game_id,
                "variant": variant,
                "step": number,
                "at_ms": step.at_ms,
                "play_number": step.play_number,
                "body": body_to(step.body),
            }
            for variant, events in variants.items()
            for number, step in enumerate(events, start=1)
        ]
        if steps:
            db.session.execute(insert(ScriptStep), steps)
        db.session.commit()
    except BaseException:
        db.session.rollback()
        raise


def _take_the_place_of_its_fixture(script: GameScript) -> None:
    """A schedule may have brought the same game under its other id. While that has not begun, this one replaces it:
    a game that nobody will play would keep its gameweek open for ever."""
    fixtures = db.session.execute(
        select(Game.id, Game.home_id, Game.away_id).where(
            Game.competition == script.competition,
            Game.season == script.season,
            Game.season_type == script.season_type,
            Game.week == script.week,
            Game.id != script.game_id,
            Game.last_event_number == 0,
            Game.epoch == 0,
            ~select(ScriptStep).where(ScriptStep.game_id == Game.id).exists(),
            ~select(GameState).where(GameState.game_id == Game.id).exists(),
        )
    )
    same = [
        one.id for one in fixtures if same_club(one.home_id, script.home.id) and same_club(one.away_id, script.away.id)
    ]
    if same:
        db.session.execute(delete(Game).where(Game.id.in_(same)))


def _upsert(model: Any, key: list[str], rows: list[dict[str, Any]]) -> None:
    """Inserts, or sets the given columns of the rows that are there; the others keep their values."""
    if not rows:
        return
    statement = insert(model)
    columns = {name: statement.excluded[name] for name in rows[0] if name not in key}
    db.session.execute(statement.on_conflict_do_update(index_elements=key, set_=columns), rows)

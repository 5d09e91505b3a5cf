"""Changes to the record besides scoring: storing an imported or simulated game."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import delete, select, text
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, transaction, upsert
from app.record.club_ids import NFL
from app.record.events import ScriptedEvent, body_to, check
from app.record.models import Club, Footballer, Game, GameState, ScriptStep
from app.record.rules.clubs import same_club
from app.record.rules.team_defence import POSITION, defence_id
from app.record.script import GameScript, Variant


def register_game(script: GameScript, other_ids: Collection[str] = ()) -> str:
    """Store a game that a publisher plays by play, and who is in it; returns its id.

    A game that a schedule has stored, also under one of the other ids or, in the NFL, by its clubs,
    stays as it is; so do clubs and footballers that are stored. Does not commit.
    """
    clubs = [_columns(club, *_CLUB) for club in (script.home, script.away)]
    upsert(Club, ["id"], clubs, changes=False)
    people = [_columns(footballer, *_FOOTBALLER) for footballer in script.footballers]
    upsert(Footballer, ["id"], people, changes=False)
    stored = _stored_game(script, {script.game_id, *other_ids})
    if stored is not None:
        return stored
    store_defences([club["id"] for club in clubs])
    upsert(Game, ["id"], [_game_columns(script)])
    return script.game_id


def _stored_game(script: GameScript, ids: Collection[str]) -> str | None:
    by_id = db.session.scalar(select(Game.id).where(Game.id.in_(ids)).order_by(Game.id).limit(1))
    if by_id is not None or script.competition != NFL:
        return str(by_id) if by_id is not None else None
    games = db.session.execute(
        select(Game.id, Game.home_id, Game.away_id)
        .where(
            Game.competition == script.competition,
            Game.season == script.season,
            Game.season_type == script.season_type,
        )
        .order_by(Game.id)
    )
    for game in games:
        if same_club(game.home_id, script.home.id) and same_club(game.away_id, script.away.id):
            return str(game.id)
    return None


_CLUB = ("id", "name", "nickname", "colour")
_FOOTBALLER = ("id", "name", "club_id", "position", "number")


def _game_columns(script: GameScript) -> dict[str, Any]:
    columns = _columns(script, "competition", "season", "season_type", "week", "kickoff")
    return columns | {
        "id": script.game_id,
        "home_id": script.home.id,
        "away_id": script.away.id,
    }


def store_script(script: GameScript) -> None:
    """Create or update clubs, footballers and game, and store the steps for `replay`. Commits.

    Both variants of the game are stored; a variant that the script lacks is deleted. The same game
    from a schedule, under its other id and not begun, is deleted. Storing the same script again
    changes nothing; the numbers of a game that has begun are not touched. Raises InvalidEventError
    if a step does not fit the wire schema.
    """
    variants: dict[Variant, tuple[ScriptedEvent, ...]] = {
        "final": script.events,
        "as_called": script.as_called or (),
    }
    for events in variants.values():
        for step in events:
            check(step.body)
    with transaction():
        clubs = (script.home, script.away)
        for club in clubs:  # a club that the files do not name keeps its name
            columns = _columns(club, *_CLUB)
            upsert(Club, ["id"], [columns], changes=club.name != club.id)
        players = [_columns(footballer, *_FOOTBALLER) for footballer in script.footballers]
        upsert(Footballer, ["id"], players)
        store_defences([club.id for club in clubs])
        _take_the_place_of_its_fixture(script)
        upsert(Game, ["id"], [_game_columns(script)])
        db.session.execute(delete(ScriptStep).where(ScriptStep.game_id == script.game_id))
        steps = [
            {
                "game_id": script.game_id,
                "variant": variant,
                "step": number,
                "body": body_to(step.body),
            }
            | _columns(step, "at_ms", "play_number")
            for variant, events in variants.items()
            for number, step in enumerate(events, start=1)
        ]
        if steps:
            db.session.execute(insert(ScriptStep), steps)


_DEFENCES = text("""
    INSERT INTO footballers (id, name, club_id, position)
    SELECT id || '-' || :position, coalesce(nullif(nickname, ''), name) || ' D/ST', id, :position
    FROM clubs WHERE id = ANY(:clubs) ORDER BY id
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, club_id = excluded.club_id
""")


def store_defences(club_ids: Collection[str]) -> list[str]:
    """Store the clubs' D/STs as footballers; returns their ids. Does not commit."""
    db.session.execute(_DEFENCES, {"position": POSITION, "clubs": sorted(club_ids)})
    return [defence_id(club) for club in sorted(club_ids)]


def _columns(values: object, *names: str) -> dict[str, Any]:
    return {name: getattr(values, name) for name in names}


def _take_the_place_of_its_fixture(script: GameScript) -> None:
    """Delete a scheduled game that is the same game under its other id and has not begun.

    A game that nobody will play would keep its gameweek open for ever. In the NFL, where two clubs
    meet only once at the same home in a season, it is the same game in another gameweek too.
    """
    fixtures = db.session.execute(
        select(Game.id, Game.home_id, Game.away_id).where(
            Game.competition == script.competition,
            Game.season == script.season,
            Game.season_type == script.season_type,
            (Game.week == script.week) | (Game.competition == NFL),
            Game.id != script.game_id,
            Game.last_event_number == 0,
            Game.epoch == 0,
            ~select(ScriptStep).where(ScriptStep.game_id == Game.id).exists(),
            ~select(GameState).where(GameState.game_id == Game.id).exists(),
        )
    )
    replaced = [
        fixture.id
        for fixture in fixtures
        if same_club(fixture.home_id, script.home.id) and same_club(fixture.away_id, script.away.id)
    ]
    if replaced:
        db.session.execute(delete(Game).where(Game.id.in_(replaced)))

"""Games as messages, numbered as the console would. Pure."""

from __future__ import annotations

from app.core.clock import to_ms
from app.demo.clubs import CLUBS
from app.demo.game import Fixture, simulate_game
from app.demo.year.calendar import YEAR, SimulatedGame, SimulatedWeek, fit
from app.record import events as ev
from app.record.script import GameScript
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS


def game_messages(week: SimulatedWeek, game: SimulatedGame) -> list[Message]:
    """Return the whole game as the relay would send it, numbered from 1."""
    clubs = {club.id: club for club in CLUBS}
    fixture = Fixture(
        game_id=game.id,
        home=clubs[game.home],
        away=clubs[game.away],
        kickoff=game.kickoff,
        season=YEAR,
        week=game.week,
    )
    return script_messages(simulate_game(game.seed, fixture, fit(week)))


def script_messages(script: GameScript) -> list[Message]:
    """Return the steps of a script as the relay would send them, numbered from 1."""
    start = to_ms(script.kickoff)
    play, messages = 0, []
    for number, step in enumerate(script.events, start=1):
        play += isinstance(step.body, ev.Snap)
        of_play = play if step.play_number is None else step.play_number
        messages.append(message(script.game_id, number, of_play, start + step.at_ms, step.body))
    return messages


def message(game_id: str, number: int, play: int, at_ms: int, body: ev.Body) -> Message:
    """Return an event as a message.

    Nothing of a simulated season is on the topic: the partition is 0, the offset the event number.
    """
    event = ev.GameEvent(
        game_id=game_id,
        event_number=number,
        play_number=play,
        epoch=1,
        recorded_at=at_ms,
        body=body,
    )
    return Message(GAME_EVENTS.name, 0, number, game_id, ev.encode(event))

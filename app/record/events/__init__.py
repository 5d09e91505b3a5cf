"""The wire schema of the official record: what one message on `game-events.v1` says.

There is one declaration per event type (declaration.py), in ball.py, kicks.py, credits.py,
procedure.py, roster.py and corrections.py; the envelope and its decoding are in messages.py.
Numbering is in scorer_console, and the meaning for statistics in app/record/rules.

Yards: every spot is counted 0 to 100 from the own goal line of the `team` named in the same body
(100 is the opponents' goal line), so yards gained are always `end_yard - start_yard`. A player may
be None everywhere: the official record credits a team when nobody can be named. Unknown fields are
ignored; a new meaning needs a new `v`. Source: DESIGN section 4, 'The taxonomy'.
"""

from typing import get_args

from app.record.events.ball import Fumble, Interception, Pass, Recovery, Run, Sack
from app.record.events.corrections import (
    Body,
    Challenge,
    Correction,
    Fact,
    Nullify,
    Overturn,
    StatCorrection,
    completes,
    targets,
)
from app.record.events.credits import Credit, Penalty, Tackle
from app.record.events.declaration import (
    Column,
    EventBody,
    Milliseconds,
    Named,
    PlayTable,
    Situation,
    clubs_of,
    columns_of,
    named_in,
    player_fields,
    players_of,
    situations_of,
    type_of,
)
from app.record.events.fields import (
    Clock,
    ClubId,
    EventNumber,
    GameId,
    Note,
    Place,
    PlayerId,
    PlayNumber,
    Yard,
)
from app.record.events.kicks import Conversion, Kick, Safety
from app.record.events.messages import (
    GameEvent,
    InvalidEventError,
    ScriptedEvent,
    body_from,
    body_to,
    check,
    decode,
    encode,
    explain,
)
from app.record.events.procedure import (
    GOAL_LINE,
    LAST_DOWN,
    PERIOD_SECONDS,
    QUARTERS,
    CoinToss,
    Declared,
    Delay,
    Final,
    GameEnded,
    GameStarted,
    GameStatus,
    Period,
    Scoreboard,
    Snap,
    Timeout,
    game_seconds_played,
)
from app.record.events.roster import RosterFact, RosterStatus

# Every event type, by its name on the wire, in the order of the union.
EVENT_TYPES: dict[str, type[EventBody]] = {type_of(kind): kind for kind in get_args(Body)}


def catalogue() -> dict[str, dict[str, object]]:
    """Every event type by name as the console's scripts know it.

    Its part in a play, its player fields, and the situations of a snap in whose play it can be: a
    list, or one by kind.
    """
    return {
        name: {"part": kind.part, **player_fields(kind), "situations": kind.situations}
        for name, kind in EVENT_TYPES.items()
    }


__all__ = [
    "EVENT_TYPES",
    "GOAL_LINE",
    "LAST_DOWN",
    "PERIOD_SECONDS",
    "QUARTERS",
    "Body",
    "Challenge",
    "Clock",
    "ClubId",
    "CoinToss",
    "Column",
    "Conversion",
    "Correction",
    "Credit",
    "Declared",
    "Delay",
    "EventBody",
    "EventNumber",
    "Fact",
    "Final",
    "Fumble",
    "GameEnded",
    "GameEvent",
    "GameId",
    "GameStarted",
    "GameStatus",
    "Interception",
    "InvalidEventError",
    "Kick",
    "Milliseconds",
    "Named",
    "Note",
    "Nullify",
    "Overturn",
    "Pass",
    "Penalty",
    "Period",
    "Place",
    "PlayNumber",
    "PlayTable",
    "PlayerId",
    "Recovery",
    "RosterFact",
    "RosterStatus",
    "Run",
    "Sack",
    "Safety",
    "Scoreboard",
    "ScriptedEvent",
    "Situation",
    "Snap",
    "StatCorrection",
    "Tackle",
    "Timeout",
    "Yard",
    "body_from",
    "body_to",
    "catalogue",
    "check",
    "clubs_of",
    "columns_of",
    "completes",
    "decode",
    "encode",
    "explain",
    "game_seconds_played",
    "named_in",
    "player_fields",
    "players_of",
    "situations_of",
    "targets",
    "type_of",
]

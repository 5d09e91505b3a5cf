"""What happens in a history.

A pure value made from a seed, so that a seed is enough to live it again.

Lives here: the acts and how they are drawn. Not here: carrying them out (acting.py, stepping.py,
processes.py), what must come of them (model.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from app.demo.clubs import CLUBS, rosters
from app.record import events as ev

GAMES, MEMBERS, SQUADS = 2, 5, 6
LATER = 2  # matches of the next gameweek, which are guessed
DIE, CUT, UNHEARD, REDIS_AWAY, REDIS_UNHEARD, NOT_SENT, SENT_UNHEARD = (
    *("die", "cut", "commit unheard", "redis away", "redis unheard"),
    *("kafka away", "kafka unheard"),
)
FAULTS = (DIE, DIE, DIE, CUT, UNHEARD, REDIS_AWAY, REDIS_UNHEARD, NOT_SENT, SENT_UNHEARD)


@dataclass(frozen=True)
class Fault:
    """Met by the `at`-th effect that an act has on a store.

    Statements, commits, commands and messages count.
    """

    kind: str
    at: int


@dataclass(frozen=True)
class Act:
    """`again`: how often it is asked for once more after its answer, which must stay the same."""

    fault: Fault | None = field(default=None, kw_only=True)
    again: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class Enter(Act):
    """A scorer enters these bodies as one play; `key`: of the entry."""

    game: int
    key: str
    bodies: tuple[ev.Body, ...]


@dataclass(frozen=True)
class Rule(Act):
    """A scorer rules anew on entry `of`.

    On its body number `part`, or (`ruling` None) takes all of it away.
    """

    game: int
    key: str
    of: str
    part: int
    ruling: ev.Body | None


@dataclass(frozen=True)
class Save(Act):
    member: int
    week: int
    squad: int
    captain: int
    vice_captain: int
    is_late: bool = False


@dataclass(frozen=True)
class Join(Act):
    """A member joins the private league."""

    member: int


@dataclass(frozen=True)
class Guess(Act):
    """`match`: of the games first, then of the later ones."""

    member: int
    match: int
    home: int
    away: int
    is_late: bool = False


@dataclass(frozen=True)
class Score(Act):
    player: int
    number: int
    score: int


@dataclass(frozen=True)
class Review(Act):
    """A moderator decides about score `number`.

    Quarantine, accept, reject, roll_back or restore.
    """

    key: str
    number: int
    decision: str


@dataclass(frozen=True)
class Sanction(Act):
    """A moderator imposes ban or shadow on a player, or lifts what stands (`kind` lift)."""

    key: str
    player: int
    kind: str


@dataclass(frozen=True)
class Lock(Act):
    """The deadline of the first gameweek has passed."""


@dataclass(frozen=True)
class Work(Act):
    """A process of ours does some of what waits for it; `most`: how many messages or jobs."""

    part: str
    most: int = 5


@dataclass(frozen=True)
class Nemesis(Act):
    """`what`: see stepping.py."""

    what: str


@dataclass(frozen=True)
class Schedule:
    seed: int
    aggregation: str
    acts: tuple[Act, ...]

    def of(self, acts: Sequence[Act]) -> Schedule:
        return replace(self, acts=tuple(acts))


PARTS = ("relay", "bridge", "ingest", "refresh", "settlement", "scores", "clock")
WEIGHTS = (5, 5, 2, 4, 3, 4, 1)
NEMESES = (
    "deliver shuffled",
    "deliver thrice",
    "replay events",
    "replay scores",
    "empty redis",
    "wipe boards",
)


def generate(seed: int) -> Schedule:
    """The same schedule for the same seed."""
    chance = Random(f"history {seed}")  # noqa: S311
    before = [act for member in range(MEMBERS) for act in _before(chance, member)]
    chance.shuffle(before)
    lanes = [list(_game(chance, game)) for game in range(GAMES)]
    lanes += [list(_member(chance, member)) for member in range(MEMBERS)]
    lanes.append(list(_scores(chance)))
    lanes.append(list(_moderation(chance)))
    lanes.append([Nemesis(chance.choice(NEMESES)) for _ in range(chance.randrange(5))])
    merged = [*before, Lock(), *_merged(chance, lanes)]
    acts = []
    for act in merged:
        acts.append(_faulty(chance, act, 0.12))
        while chance.random() < 0.55:
            part = chance.choices(PARTS, WEIGHTS)[0]
            acts.append(_faulty(chance, Work(part, chance.choice((1, 3, 20))), 0.2))
    return Schedule(seed, chance.choice(("sum", "highest", "latest")), tuple(acts))


def _faulty(chance: Random, act: Act, share: float) -> Act:
    # what happens to all happens wholly
    is_whole = isinstance(act, Nemesis) and not act.what.startswith("deliver")
    if chance.random() < share and not is_whole:
        act = replace(act, fault=Fault(chance.choice(FAULTS), int(2 ** chance.uniform(0, 6.5))))
    return replace(act, again=1) if chance.random() < 0.1 else act


def _merged(chance: Random, lanes: Sequence[list[Act]]) -> Iterator[Act]:
    """In a random order that keeps each lane's."""
    order = [number for number, lane in enumerate(lanes) for _ in lane]
    chance.shuffle(order)
    left = [iter(lane) for lane in lanes]
    yield from (next(left[number]) for number in order)


def _save(chance: Random, member: int, week: int, **more: bool) -> Save:
    captain, vice = chance.sample(range(1, 10), 2)
    return Save(member, week, chance.randrange(SQUADS), captain, vice, **more)


def _before(chance: Random, member: int) -> Iterator[Act]:
    for _ in range(chance.randrange(3)):
        yield _save(chance, member, 1)
    for match in range(GAMES):
        if chance.random() < 0.8:
            yield Guess(member, match, chance.randrange(5), chance.randrange(5))
    if member and chance.random() < 0.3:
        yield Join(member)


def _member(chance: Random, member: int) -> Iterator[Act]:
    for _ in range(chance.randrange(4)):
        yield chance.choice(
            (
                _save(chance, member, 2),
                _save(chance, member, 1, is_late=True),
                Guess(
                    member,
                    GAMES + chance.randrange(LATER),
                    chance.randrange(30),
                    chance.randrange(30),
                ),
                Guess(member, chance.randrange(GAMES), 9, 9, is_late=True),
                Join(member or 1),
            )
        )


def _scores(chance: Random) -> Iterator[Act]:
    for number in range(chance.randint(4, 16)):
        yield Score(chance.randrange(MEMBERS), number, chance.randrange(1, 40))


def _moderation(chance: Random) -> Iterator[Act]:
    for turn in range(chance.randrange(8)):
        if chance.random() < 0.45:
            kind = chance.choice(("ban", "shadow", "lift", "lift"))
            yield Sanction(f"sanction {turn}", chance.randrange(MEMBERS), kind)
        else:
            decision = chance.choice(("quarantine", "accept", "reject", "roll_back", "restore"))
            yield Review(f"review {turn}", chance.randrange(10), decision)


def clubs_of(game: int) -> tuple[str, str]:
    """Home and away."""
    return CLUBS[2 * game].id, CLUBS[2 * game + 1].id


def _game(chance: Random, game: int) -> Iterator[Act]:
    """A short game up to its final score, with rulings here and there, also after its end."""
    entered: list[Enter] = [
        Enter(game, "start", (ev.GameStarted(home=clubs_of(game)[0], away=clubs_of(game)[1]),))
    ]
    yield entered[0]
    plays = chance.randint(4, 12)
    for number in range(plays):
        play = Enter(game, f"play {number}", tuple(_play(chance, game, number, plays)))
        entered.append(play)
        yield play
        if chance.random() < 0.3:
            yield _ruling(chance, game, f"ruling {number}", entered[1:])
    final = ev.Final(home_score=chance.randrange(5), away_score=chance.randrange(5))
    yield Enter(game, "end", (ev.GameEnded(),))
    yield Enter(game, "final", (final,))
    for number in range(chance.randrange(3)):
        if chance.random() < 0.3:
            other = ev.Final(home_score=chance.randrange(5), away_score=chance.randrange(5))
            yield Rule(game, f"score {number}", "final", 0, other)
        else:
            yield _ruling(chance, game, f"late ruling {number}", entered[1:])


def _ruling(chance: Random, game: int, key: str, entered: Sequence[Enter]) -> Rule:
    of = chance.choice(entered[-4:])
    part = chance.randrange(1, len(of.bodies))
    ruling = _otherwise(chance, of.bodies[part])
    if chance.random() < 0.3:
        ruling = None
    return Rule(game, key, of.key, part, ruling)


def _otherwise(chance: Random, body: ev.Body) -> ev.Body:
    """The same act, as a referee sees it after another look."""
    match body:
        case ev.Run():
            end = body.start_yard + chance.randint(-3, 12)
            return ev.Run(
                team=body.team,
                player=body.player,
                kind=body.kind,
                start_yard=body.start_yard,
                end_yard=min(100, max(0, end)),
                is_touchdown=chance.random() < 0.3,
            )
        case ev.Pass():
            result, caught = (
                chance.choice(("complete", "incomplete")),
                body.throw_yard + chance.randint(1, 9),
            )
            return ev.Pass(
                team=body.team,
                passer=body.passer,
                receiver=body.receiver,
                result=result,
                throw_yard=body.throw_yard,
                reception_yard=caught,
            )
        case ev.Kick():
            return ev.Kick(
                team=body.team,
                kicker=body.kicker,
                kind=body.kind,
                start_yard=body.start_yard,
                result=chance.choice(("good", "missed")),
                distance=body.distance,
            )
        case ev.Sack():
            return ev.Sack(
                team=body.team,
                player=body.player,
                start_yard=body.start_yard,
                end_yard=body.start_yard - 1,
                by_team=body.by_team,
                by=body.by,
            )
    return body


def _player(chance: Random, club: str, *positions: str) -> str:
    footballers = [roster.id for roster in rosters()[club] if roster.position in positions]
    return chance.choice(footballers[:3])


def _play(chance: Random, game: int, number: int, plays: int) -> Iterator[ev.Body]:
    clubs = clubs_of(game)
    team, other = clubs if chance.random() < 0.5 else reversed(clubs)
    start = chance.randint(20, 70)
    yield ev.Snap(
        possession=team,
        spot=start,
        period=1 + 4 * number // plays,
        clock=900 - 50 * number,
        down=1,
        distance=10,
    )
    passer, tackler = _player(chance, team, "QB"), _player(chance, other, "LB", "S")
    is_touchdown = chance.random() < 0.2
    match chance.randrange(5):
        case 0:
            end = 100 if is_touchdown else start + chance.randint(-3, 20)
            yield ev.Run(
                team=team,
                player=_player(chance, team, "RB"),
                kind="rush",
                start_yard=start,
                end_yard=end,
                is_touchdown=is_touchdown,
            )
            yield ev.Tackle(team=other, tackler=tackler, kind="solo")
        case 1:
            receiver, caught = _player(chance, team, "WR", "TE"), start + chance.randint(-2, 15)
            yield ev.Pass(
                team=team,
                passer=passer,
                receiver=receiver,
                result="complete",
                throw_yard=start,
                reception_yard=caught,
            )
            end = 100 if is_touchdown else caught + chance.randint(0, 10)
            yield ev.Run(
                team=team,
                player=receiver,
                kind="after_catch",
                start_yard=caught,
                end_yard=end,
                is_touchdown=is_touchdown,
            )
        case 2:
            yield ev.Pass(
                team=team,
                passer=passer,
                receiver=_player(chance, team, "WR"),
                result="incomplete",
                throw_yard=start,
            )
        case 3:
            yield ev.Kick(
                team=team,
                kicker=_player(chance, team, "K"),
                kind="field_goal",
                start_yard=start,
                result=chance.choice(("good", "good", "missed")),
                distance=117 - start,
            )
        case _:
            yield ev.Sack(
                team=team,
                player=passer,
                start_yard=start,
                end_yard=start - 6,
                by_team=other,
                by=(tackler,),
            )

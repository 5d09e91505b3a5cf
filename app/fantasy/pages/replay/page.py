"""A gameweek played again, as values.

What the page says of each play, and the moments that turned it. Pure.

A film is the same for everybody who is shown the same teams, so that it can be kept; what is the
viewer's own (their turns, where they stand in it) is added to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.bidi import isolated
from app.fantasy.amounts import decimal_points
from app.fantasy.scoring.replay.replay import BEST_SHOWN
from app.fantasy.scoring.replay.values import Change, Duel, Race, Replay, Step, Team
from app.record import events as ev
from app.record.correction_words import Key, told
from app.record.queries import GameRow
from app.record.replay import Moment
from app.record.words import clock_words, down_and_distance, period_words

TURNS_SHOWN = 60
SUBSTITUTIONS_TOLD = 3  # of a play
BEST = BEST_SHOWN
WIDTH, HEIGHT = 1000, 240
LINES = 8
DOTS = 250  # of a line

DEFINITION = (
    "The play with which the team that is alone in front now went ahead for the last time: since "
    "then nobody has "
    "caught it again, and equal points would be caught. Corrections count as plays. Transfers, and "
    "what the "
    "commissioner gave, count from the first play on."
)

# Who did the rest of a play: not what it is about.
_ASIDE = ev.Snap | ev.Tackle | ev.Credit


@dataclass(frozen=True)
class Play:
    """A play as the page tells it. `number`: of its last event; `changed`: see replay.Step."""

    game_id: str
    number: int
    where: str
    score: str
    words: str
    changed: tuple[Change, ...]


@dataclass(frozen=True)
class Film:
    """`games`: names by id.

    `start`: points and rank of each team before the first play. `members`: how many rank.
    """

    teams: tuple[Team, ...]
    start: tuple[tuple[int, int], ...]
    plays: tuple[Play, ...]
    leader: Race
    duels: tuple[Duel, ...]
    members: int


@dataclass(frozen=True)
class Row:
    """A team at a moment.

    `index`: into the film's teams; `moved`: the play changed its points by so much.
    """

    index: int
    team: Team
    points: int
    rank: int
    moved: int


@dataclass(frozen=True)
class Turn:
    """A play that changed who is in front.

    `at`: the place after it (1: after the first play). `kind`: lead, duel or mine. `decided`: it
    decided the gameweek, or the game.
    """

    at: int
    words: str
    kind: str
    decided: bool


@dataclass(frozen=True)
class Line:
    """A team's points over the film, in the drawing's own coordinates."""

    index: int
    name: str
    points: str


def film(
    replay: Replay,
    games: Sequence[GameRow],
    names: Mapping[str, str],
    corrected: Mapping[Key, Sequence[ev.Body]],
) -> Film:
    """`corrected`: what each correction of `corrections_in` took away."""
    by_id = {game.id: game for game in games}
    return Film(
        replay.teams,
        replay.start,
        tuple(
            _play(step, by_id[step.moment.game_id], replay.teams, names, corrected)
            for step in replay.steps
        ),
        replay.leader,
        replay.duels,
        replay.members,
    )


def players_in(replay: Replay, corrected: Mapping[Key, Sequence[ev.Body]]) -> set[str]:
    """Everybody whom the plays name."""
    bodies = [row.body for step in replay.steps for row in step.moment.rows]
    bodies += [body for taken in corrected.values() for body in taken]
    named = {player for body in bodies for player in ev.players_of(body)}
    changes = [substitution for step in replay.steps for substitution in step.substitutions]
    return named | {player for change in changes for player in (*change.come_on, *change.go_off)}


def corrections_in(replay: Replay) -> set[Key]:
    """The corrections among the plays."""
    moments = [step.moment for step in replay.steps]
    return {
        (moment.game_id, row.number)
        for moment in moments
        for row in moment.rows
        if isinstance(row.body, ev.Correction)
    }


def _play(
    step: Step,
    game: GameRow,
    teams: Sequence[Team],
    names: Mapping[str, str],
    corrected: Mapping[Key, Sequence[ev.Body]],
) -> Play:
    moment, snap = step.moment, step.moment.clock
    where = f"{game.away.id} at {game.home.id}"
    if snap is not None:
        where += f", {period_words(snap.period)} {clock_words(snap.clock)}"
        if any(row.body is snap for row in moment.rows):
            where += f", {down_and_distance(snap)}"
    return Play(
        moment.game_id,
        moment.number,
        where,
        f"{game.away.id} {moment.away_score}, {game.home.id} {moment.home_score}",
        " ".join([_words(moment, names, corrected), *_substitutions(step, teams, names)]),
        step.changed,
    )


def _words(
    moment: Moment, names: Mapping[str, str], corrected: Mapping[Key, Sequence[ev.Body]]
) -> str:
    """A correction says its own ruling."""
    is_correction = any(isinstance(row.body, ev.Correction) for row in moment.rows)
    sentences = [
        told(row.body, names, corrected.get((moment.game_id, row.number), ()))
        for row in moment.rows
        if not isinstance(row.body, _ASIDE) and (row.revision == 0 or not is_correction)
    ]
    return " ".join(sentences) or "The ball is snapped."


def _substitutions(step: Step, teams: Sequence[Team], names: Mapping[str, str]) -> list[str]:
    """A sentence per team, of at most SUBSTITUTIONS_TOLD; of more how many others."""
    sentences = []
    for change in step.substitutions[:SUBSTITUTIONS_TOLD]:
        come_on, go_off = (
            " and ".join(names.get(player, player) for player in ids)
            for ids in (change.come_on, change.go_off)
        )
        sentences.append(
            f"Automatic substitution, {isolated(teams[change.team].team_name)}: {come_on} for "
            f"{go_off}."
        )
    if others := len(step.substitutions) - len(sentences):
        sentences.append(
            f"Automatic substitutions in {others} more team{'s' if others > 1 else ''}."
        )
    return sentences


def rows_at(film: Film, at: int) -> list[Row]:
    """Every team after `at` plays.

    The ranked as the table has them (rank, team, id), then the others.
    """
    rows = list(film.start)
    before = rows
    for number, play in enumerate(film.plays[:at], start=1):
        if number == at:
            before = list(rows)
        for index, points, rank in play.changed:
            rows[index] = (points, rank)
    found = [
        Row(index, team, points, rank, points - before[index][0])
        for index, (team, (points, rank)) in enumerate(zip(film.teams, rows, strict=True))
    ]
    return sorted(
        found,
        key=lambda row: (
            not row.team.ranked,
            row.rank,
            row.team.team_name,
            row.team.member_id or 0,
        ),
    )


def turns(film: Film, me: int, *, over: bool) -> list[Turn]:
    """What changed who is in front of the league and of my game, and my rank, in order.

    Of more than TURNS_SHOWN the last. In a league too large to be shown whole every play moves
    ranks: mine is left out there. `over`: no game is still to be played; until then nothing is for
    good.
    """
    mine = next((index for index, team in enumerate(film.teams) if team.member_id == me), None)
    found = [
        *_lead(film, over=over),
        *(
            turn
            for duel in film.duels
            if mine in (duel.home, duel.away)
            for turn in _duel(film, duel, over=over)
        ),
    ]
    if mine is not None and film.members <= len(film.teams):
        found += _rank(film, mine)
    found.sort(key=lambda turn: (turn.at, turn.kind))
    return found[-TURNS_SHOWN:]


def _lead(film: Film, *, over: bool) -> Iterable[Turn]:
    rows = list(film.start)
    wanted = set(film.leader.turns)
    for number, play in enumerate(film.plays):
        for index, points, rank in play.changed:
            rows[index] = (points, rank)
        if number not in wanted:
            continue
        first = [index for index, (_, rank) in enumerate(rows) if rank == 1]
        decided = number == film.leader.decided
        if len(first) == 1:
            words = (
                f"{isolated(film.teams[first[0]].team_name)} takes the "
                f"lead{_for_good(decided, over=over)}"
            )
        else:
            words = "Nobody leads alone"
        yield Turn(number + 1, words, "lead", decided)


def _duel(film: Film, duel: Duel, *, over: bool) -> Iterable[Turn]:
    rows = list(film.start)
    wanted = set(duel.race.turns)
    names = {side: isolated(film.teams[side].team_name) for side in (duel.home, duel.away)}
    for number, play in enumerate(film.plays):
        for index, points, rank in play.changed:
            rows[index] = (points, rank)
        if number not in wanted:
            continue
        home, away = rows[duel.home][0], rows[duel.away][0]
        decided = number == duel.race.decided
        if decided and duel.race.ahead is not None:
            first = duel.race.ahead
        elif home == away:
            yield Turn(
                number + 1, f"{names[duel.home]} and {names[duel.away]} are level", "duel", decided
            )
            continue
        else:
            first = duel.home if home > away else duel.away
        other = duel.away if first == duel.home else duel.home
        good = _for_good(decided, over=over)
        yield Turn(
            number + 1, f"{names[first]} goes ahead of {names[other]}{good}", "duel", decided
        )


def _for_good(decided: bool, *, over: bool) -> str:
    if not decided:
        return ""
    return " for good" if over else " and has kept it so far"


def _rank(film: Film, mine: int) -> Iterable[Turn]:
    rank = film.start[mine][1]
    for number, play in enumerate(film.plays, start=1):
        for index, _, now in play.changed:
            if index == mine and now != rank:
                yield Turn(number, f"Your rank: {rank} to {now}", "mine", decided=False)
                rank = now


def decision(film: Film, race: Race, sides: Sequence[int] = (), *, over: bool) -> str:
    """The sentence that says what decided it; `sides`: of a head-to-head game."""
    what = "the game" if sides else "the gameweek"
    if not film.plays:
        return f"No play of {what} has been recorded yet."
    if race.ahead is None:
        return "Nobody is ahead alone: no play has decided it."
    winner = isolated(film.teams[race.ahead].team_name)
    if race.decided is None:
        stayed = (
            "stayed so: no play decided it" if over else "has stayed so: no play has decided it yet"
        )
        return f"{winner} was ahead before the first play and {stayed}."
    return f"{winner} went ahead{' for good' if over else ', and is still ahead'}."


def place_of(film: Film, game_id: str, number: int | None) -> int:
    """How many plays are over after this event of this game.

    Without such a game all, with number 0 none.
    """
    if number == 0:
        return 0
    if number is None or all(play.game_id != game_id for play in film.plays):
        return len(film.plays)
    return max(
        (
            at
            for at, play in enumerate(film.plays, 1)
            if play.game_id == game_id and play.number <= number
        ),
        default=0,
    )


def cuts(film: Film, at: int) -> dict[str, int]:
    """The last event of each game after `at` plays; without the games that had none."""
    return {play.game_id: play.number for play in film.plays[:at]}


def lines(film: Film) -> list[Line]:
    """Points of the best LINES teams of the end, drawn as steps from the first play to the last."""
    best = [row.index for row in rows_at(film, len(film.plays)) if row.team.ranked][:LINES]
    series: dict[int, list[int]] = {index: [film.start[index][0]] for index in best}
    for play in film.plays:
        now = {index: points for index, points, _ in play.changed}
        for index, values in series.items():
            values.append(now.get(index, values[-1]))
    known = [value for values in series.values() for value in values]
    low, high = min([0, *known]), max([1000, *known])
    count = len(film.plays)
    some = sorted({round(dot * count / DOTS) for dot in range(DOTS + 1)}) if count else [0]

    def x(at: int) -> float:
        return round(WIDTH * at / max(1, count), 1)

    def y(value: int) -> float:
        return round(HEIGHT - 6 - (HEIGHT - 12) * (value - low) / (high - low), 1)

    return [
        Line(
            index, film.teams[index].team_name, " ".join(f"{x(at)},{y(values[at])}" for at in some)
        )
        for index, values in series.items()
    ]


def as_json(film: Film, found: Sequence[Turn]) -> dict[str, object]:
    """What the page's script plays: arrays, so that it stays small. Points in thousandths."""
    return {
        "teams": [
            [team.member_id, team.team_name, team.display_name, team.ranked] for team in film.teams
        ],
        "start": film.start,
        "plays": [
            [play.game_id, play.number, play.where, play.score, play.words, play.changed]
            for play in film.plays
        ],
        "duels": [[duel.home, duel.away] for duel in film.duels],
        "turns": [[turn.at, turn.words, turn.decided] for turn in found],
    }


def moved_words(moved: int) -> str:
    return f"{'+' if moved > 0 else ''}{decimal_points(moved)}" if moved else ""

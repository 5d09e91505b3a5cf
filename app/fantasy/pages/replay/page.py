"""A gameweek played again, as values: each play in words, and the moments that turned it. Pure.

A film is the same for everybody who sees the same teams, so that it can be cached. The viewer's own
turns are added to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.core.bidi import isolated
from app.fantasy.amounts import decimal_points
from app.fantasy.notices.words import ordinal
from app.fantasy.scoring.replay.replay import BEST_SHOWN
from app.fantasy.scoring.replay.values import Change, Duel, Race, Replay, Step, Team
from app.record import events as ev
from app.record.correction_words import NOTHING, Corrected, Key, bodies_of, told
from app.record.play_sentence import ball_events, play_sentences, surnames
from app.record.queries import GameRow
from app.record.replay import Moment
from app.record.words import clock_words, down_and_distance, period_words

TURNS_SHOWN = 60
SUBSTITUTIONS_TOLD = 3  # per play
BEST = BEST_SHOWN
WIDTH, HEIGHT = 1000, 240
LINES = 8
DOTS = 250  # per line

DEFINITION = (
    "The play that put the leader ahead for good: no team has tied or passed it since. Stat "
    "corrections count as plays. Extra transfers and commissioner adjustments count from the start."
)


@dataclass(frozen=True)
class Play:
    """A play as the page tells it.

    `number`: the number of its last event; `changed`: see replay.Step; `turning_words`: what
    changed the points in it, without reviews, time-outs and the ends of periods.
    """

    game_id: str
    number: int
    play_number: int
    where: str
    score: str
    words: str
    turning_words: str
    changed: tuple[Change, ...]


@dataclass(frozen=True)
class Film:
    """A gameweek play by play.

    Attributes:
        start: Points and rank of each team before the first play.
        leader: The race for the lead of the league.
        duels: The races of the head-to-head games.
        members: How many teams rank.
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

    Attributes:
        index: The team's index in the film.
        moved: By how much the last play changed its points.
    """

    index: int
    team: Team
    points: int
    rank: int
    moved: int


@dataclass(frozen=True)
class Turn:
    """A play that changed who is in front.

    Attributes:
        at: How many plays are over after it.
        kind: `lead`, `duel` or `mine`.
        decided: Whether it decided the gameweek or the game.
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
    corrected: Mapping[Key, Corrected],
) -> Film:
    """Return the film of a replay.

    Args:
        replay: The gameweek.
        games: The games in it.
        names: Names of footballers by id.
        corrected: What each correction of `corrections_in` took away.
    """
    by_id = {game.id: game for game in games}
    names = surnames(names)
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


def players_in(replay: Replay, corrected: Mapping[Key, Corrected]) -> set[str]:
    """Return everybody whom the plays name."""
    bodies = [row.body for step in replay.steps for row in step.moment.rows]
    bodies += bodies_of(corrected)
    named = {player for body in bodies for player in ev.players_of(body)}
    changes = [substitution for step in replay.steps for substitution in step.substitutions]
    return named | {player for change in changes for player in (*change.come_on, *change.go_off)}


def corrections_in(replay: Replay) -> set[Key]:
    """Return the corrections among the plays."""
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
    corrected: Mapping[Key, Corrected],
) -> Play:
    moment, snap = step.moment, step.moment.clock
    where = f"{game.away.id} at {game.home.id}"
    if snap is not None:
        where += f", {period_words(snap.period)} {clock_words(snap.clock)}"
        if any(row.body is snap for row in moment.rows):
            where += f", {down_and_distance(snap)}"
    substitutions = _substitutions(step, teams, names)
    clubs = (game.home.id, game.away.id)
    bodies = [row.body for row in moment.rows]
    rulings = _rulings(moment, clubs, names, corrected)
    everything = rulings or play_sentences(bodies, names, clubs) or ["Snap."]
    turning = [*(rulings or play_sentences(ball_events(bodies), names, clubs)), *substitutions]
    return Play(
        moment.game_id,
        moment.number,
        moment.play_number,
        where,
        f"{game.away.id} {moment.away_score}, {game.home.id} {moment.home_score}",
        words=" ".join([*everything, *substitutions]),
        turning_words=" ".join(turning or everything),
        changed=step.changed,
    )


def _rulings(
    moment: Moment,
    clubs: tuple[str, str],
    names: Mapping[str, str],
    corrected: Mapping[Key, Corrected],
) -> list[str]:
    """The ruling of each correction in a play; empty if nothing was corrected."""
    corrections = [
        told(row.body, names, corrected.get((moment.game_id, row.number), NOTHING), clubs)
        for row in moment.rows
        if isinstance(row.body, ev.Correction)
    ]
    return list(dict.fromkeys(corrections))


def _substitutions(step: Step, teams: Sequence[Team], names: Mapping[str, str]) -> list[str]:
    """A sentence per team, for up to SUBSTITUTIONS_TOLD teams, and how many more there are."""
    sentences = []
    for change in step.substitutions[:SUBSTITUTIONS_TOLD]:
        come_on, go_off = (
            " and ".join(names.get(player, player) for player in ids)
            for ids in (change.come_on, change.go_off)
        )
        team = isolated(teams[change.team].team_name)
        sentences.append(f"{substituting(team)} {come_on} for {go_off}.")
    if others := len(step.substitutions) - len(sentences):
        sentences.append(f"Auto-subs for {others} more team{'s' if others > 1 else ''}.")
    return sentences


def substituting(team: str) -> str:
    """How the sentence of a team's substitution begins."""
    return f"Auto-sub, {team}:"


def rows_at(film: Film, at: int) -> list[Row]:
    """Every team after `at` plays: those that rank by rank, team and id, then the others."""
    before, after = (_table_at(film, number) for number in (max(0, at - 1), at))
    rows = [
        Row(index, team, points, rank, points - before[index][0])
        for index, (team, (points, rank)) in enumerate(zip(film.teams, after, strict=True))
    ]
    return sorted(
        rows,
        key=lambda row: (
            not row.team.ranked,
            row.rank,
            row.team.team_name,
            row.team.member_id or 0,
        ),
    )


def _table_at(film: Film, at: int) -> list[tuple[int, int]]:
    """Points and rank of each team after `at` plays."""
    table = list(film.start)
    for play in film.plays[:at]:
        for index, points, rank in play.changed:
            table[index] = (points, rank)
    return table


def _tables_after(
    film: Film, plays: Iterable[int]
) -> Iterator[tuple[int, Sequence[tuple[int, int]]]]:
    """Points and rank of each team after each of these plays, with the play's index."""
    numbers = set(plays)
    table = list(film.start)
    for number, play in enumerate(film.plays):
        for index, points, rank in play.changed:
            table[index] = (points, rank)
        if number in numbers:
            yield number, table


def turns(film: Film, me: int, *, is_over: bool) -> list[Turn]:
    """The plays that changed the lead of the league or of my game, and my rank, in order.

    Of more than TURNS_SHOWN it returns the last. My rank is left out of a league too large to be
    shown whole, where every play moves ranks.

    Args:
        film: The gameweek.
        me: The viewer.
        is_over: Whether no game is still to be played; until then no lead is for good.
    """
    mine = next((index for index, team in enumerate(film.teams) if team.member_id == me), None)
    all_turns = [*_lead(film, is_over=is_over)]
    for duel in film.duels:
        if mine in (duel.home, duel.away):
            all_turns += _duel(film, duel, is_over=is_over)
    if mine is not None and film.members <= len(film.teams):
        all_turns += _rank(film, mine)
    all_turns.sort(key=lambda turn: (turn.at, turn.kind))
    return all_turns[-TURNS_SHOWN:]


def _lead(film: Film, *, is_over: bool) -> Iterator[Turn]:
    for number, table in _tables_after(film, film.leader.turns):
        leaders = [index for index, (_, rank) in enumerate(table) if rank == 1]
        decided = number == film.leader.decided
        words = "Tied for the lead"
        if len(leaders) == 1:
            name = isolated(film.teams[leaders[0]].team_name)
            words = f"{name} takes the lead{_for_good(decided, is_over=is_over)}"
        yield Turn(number + 1, words, "lead", decided)


def _duel(film: Film, duel: Duel, *, is_over: bool) -> Iterator[Turn]:
    names = {side: isolated(film.teams[side].team_name) for side in (duel.home, duel.away)}
    for number, table in _tables_after(film, duel.race.turns):
        home, away = table[duel.home][0], table[duel.away][0]
        decided = number == duel.race.decided
        if decided and duel.race.ahead is not None:
            leader = duel.race.ahead
        elif home == away:
            words = f"{names[duel.home]} and {names[duel.away]} are tied"
            yield Turn(number + 1, words, "duel", decided)
            continue
        else:
            leader = duel.home if home > away else duel.away
        other = duel.away if leader == duel.home else duel.home
        good = _for_good(decided, is_over=is_over)
        yield Turn(
            number + 1, f"{names[leader]} goes ahead of {names[other]}{good}", "duel", decided
        )


def _for_good(decided: bool, *, is_over: bool) -> str:
    if not decided:
        return ""
    return " for good" if is_over else " (so far)"


def _rank(film: Film, mine: int) -> Iterator[Turn]:
    rank = film.start[mine][1]
    for number, play in enumerate(film.plays, start=1):
        for index, _, now in play.changed:
            if index == mine and now != rank:
                verb = "climbed" if now < rank else "dropped"
                yield Turn(
                    number,
                    f"You {verb} from {ordinal(rank)} to {ordinal(now)}",
                    "mine",
                    decided=False,
                )
                rank = now


def decision(film: Film, race: Race, sides: Sequence[int] = (), *, is_over: bool) -> str:
    """The sentence that says what decided the gameweek, or with `sides` a head-to-head game."""
    contest = "matchup" if sides else "week"
    if not film.plays:
        return f"No plays in this {contest} yet."
    if race.ahead is None:
        return "It's tied, so there's no deciding play."
    winner = isolated(film.teams[race.ahead].team_name)
    if race.decided is None:
        led = "led from start to finish" if is_over else "has led from the start"
        return f"{winner} {led}."
    return f"{winner} {'went ahead for good' if is_over else 'took the lead and is still ahead'}."


def place_of(film: Film, game_id: str, number: int | None) -> int:
    """How many plays are over after this event of this game.

    Without such a game it is all plays, with number 0 none.
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
    """The number of the last event of each game after `at` plays, of games that had one."""
    return {play.game_id: play.number for play in film.plays[:at]}


def lines(film: Film) -> list[Line]:
    """The points of the LINES best teams, drawn as steps from the first play to the last."""
    best = [row.index for row in rows_at(film, len(film.plays)) if row.team.ranked][:LINES]
    series: dict[int, list[int]] = {index: [film.start[index][0]] for index in best}
    for play in film.plays:
        now = {index: points for index, points, _ in play.changed}
        for index, values in series.items():
            values.append(now.get(index, values[-1]))
    known = [value for values in series.values() for value in values]
    low, high = min([0, *known]), max([1000, *known])
    count = len(film.plays)
    drawn_places = sorted({round(dot * count / DOTS) for dot in range(DOTS + 1)}) if count else [0]

    def x(at: int) -> float:
        return round(WIDTH * at / max(1, count), 1)

    def y(value: int) -> float:
        return round(HEIGHT - 6 - (HEIGHT - 12) * (value - low) / (high - low), 1)

    return [
        Line(
            index,
            film.teams[index].team_name,
            " ".join(f"{x(at)},{y(values[at])}" for at in drawn_places),
        )
        for index, values in series.items()
    ]


def as_json(film: Film, turns: Sequence[Turn]) -> dict[str, object]:
    """What the page's script plays, with points in thousandths; arrays keep it small."""
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
        "turns": [[turn.at, turn.words, turn.decided] for turn in turns],
    }


def moved_words(moved: int) -> str:
    """Points with their sign; empty for no move."""
    return f"{'+' if moved > 0 else ''}{decimal_points(moved)}" if moved else ""

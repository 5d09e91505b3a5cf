"""The scoring summary of a game: who scored, how, from how far, and on which drive. Pure.

How points were made is computed in rules/score_details.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.record import events as ev
from app.record.queries import GameRow
from app.record.rules.drives import Drive, drive_of_plays, drives, snapped
from app.record.rules.score_details import (
    SafetyWay,
    TouchdownWay,
    safety_way,
    score_times,
    touchdown_way,
    try_after,
)
from app.record.rules.stat_lines import Numbered, Play, plays_of
from app.record.rules.state import OVER, ScoringPlay, scoring_plays
from app.record.words import UNNAMED, clock_words, period_words


@dataclass(frozen=True)
class Score:
    """A touchdown with its try, or another scoring play, and the score after it.

    `clock`: period and time of the score, like `Q1 14:20`, or `Q1, snap at 14:30` if its time is
    unknown. `drive`: the number of the drive that led to the points, and `drive_words` its plays,
    yards and time; None and "" if the club did not score on a drive of its own, as with a return.
    """

    club_id: str
    clock: str
    words: str
    away: int
    home: int
    play_number: int
    drive: int | None
    drive_words: str


def drive_words(drive: Drive) -> str:
    """Plays, yards and time, as in `5 plays, 42 yards, 2:10`."""
    plays = f"{drive.plays} play{'' if drive.plays == 1 else 's'}"
    gain = f"{drive.yards} yard{'' if abs(drive.yards) == 1 else 's'}"
    return f"{plays}, {gain}, {clock_words(drive.seconds)}"


def scoring_summary(
    game: GameRow, events: Sequence[Numbered], names: Mapping[str, str]
) -> tuple[Score, ...]:
    """The scores of these valid events in the order of the game.

    A try is part of its touchdown's row.
    """
    scores = scoring_plays(events)
    times = score_times(events, scores)
    plays = list(plays_of(events))
    place = {number: index for index, play in enumerate(plays) for number, _ in play}
    drive_of = _drives_by_play(game, events)
    away = home = 0
    summary: list[Score] = []
    touchdown: ScoringPlay | None = None
    for score in scores:
        away += score.points if score.team == game.away.id else 0
        home += score.points if score.team == game.home.id else 0
        is_try = score.kind in ("extra_point", "two_point")
        if is_try and touchdown is not None and touchdown.team == score.team:
            summary[-1] = replace(summary[-1], away=away, home=home)
            continue
        drive = drive_of.get(score.play_number)
        if drive is not None and drive.club != score.team:
            drive = None
        summary.append(
            Score(
                club_id=score.team,
                clock=_when(score, times[score.event_number]),
                words=score_words(score, plays, place[score.event_number], names),
                away=away,
                home=home,
                play_number=score.play_number,
                drive=None if drive is None else drive.number,
                drive_words="" if drive is None else drive_words(drive),
            )
        )
        touchdown = score if score.kind == "touchdown" else None
    return tuple(summary)


def _drives_by_play(game: GameRow, events: Sequence[Numbered]) -> dict[int, Drive]:
    series = drives(snapped(events), is_over=game.status in OVER)
    by_number = {drive.number: drive for drive in series}
    numbers = drive_of_plays(series, (play.number for play in snapped(events)))
    return {play: by_number[number] for play, number in numbers.items()}


def _when(score: ScoringPlay, clock: int | None) -> str:
    period = period_words(score.period)
    return (
        f"{period}, snap at {clock_words(score.clock)}"
        if clock is None
        else f"{period} {clock_words(clock)}"
    )


def score_words(
    score: ScoringPlay, plays: Sequence[Play], place: int, names: Mapping[str, str]
) -> str:
    """A score in words, like `A. Rivera 34-yard fumble return (B. Okafor kick)`.

    `place`: the index in `plays` of the play that scored.
    """
    player = _name(score.player, names)
    play = plays[place]
    match score.kind:
        case "touchdown":
            details = touchdown_way(play)
            passer = None if score.passer is None else _name(score.passer, names)
            how = "touchdown" if details is None else _touchdown_words(details, passer)
            return f"{player} {how}{_try_words(try_after(plays, place), names)}"
        case "field_goal":
            kicks = [
                body for _, body in play if isinstance(body, ev.Kick) and body.kind == "field_goal"
            ]
            length = next((f"{kick.distance}-yard " for kick in kicks if kick.distance), "")
            return f"{player} {length}field goal"
        case "safety":
            by = "" if score.player is None else f" by {player}"
            kind = "Safety" if score.points > 1 else "One-point safety"
            return f"{kind}{_safety_words(safety_way(play), by, names)}"
        case "extra_point":
            return f"{player} extra point"
        case "two_point":
            return f"{player} two-point try"
    return f"{player} return of the try for two points"


def _name(player: str | None, names: Mapping[str, str]) -> str:
    return UNNAMED if player is None else names.get(player, player)


_RETURNS = {
    "interception": "interception return",
    "fumble": "fumble return",
    "kickoff": "kickoff return",
    "punt": "punt return",
    "field_goal": "missed field goal return",
}
_SECURED = {
    "interception": "interception in the end zone",
    "fumble": "fumble recovery in the end zone",
    "kickoff": "recovery of the kickoff in the end zone",
    "punt": "recovery of the punt in the end zone",
    "field_goal": "recovery of the field goal try in the end zone",
}
_KICK_WORDS = {"field_goal": "field goal", "extra_point": "extra point", "free_kick": "free kick"}


def _touchdown_words(details: TouchdownWay, passer: str | None) -> str:
    kick = _KICK_WORDS.get(details.kick, details.kick)
    if details.yards is None:
        return (
            f"recovery of a blocked {kick} in the end zone"
            if details.method == "blocked"
            else _SECURED.get(details.method, "run")
        )
    if details.method == "pass":
        return f"{details.yards}-yard pass from {passer or UNNAMED}"
    if details.method == "run":
        return f"{details.yards}-yard run"
    return (
        f"{details.yards}-yard "
        f"{f'blocked {kick} return' if details.method == 'blocked' else _RETURNS[details.method]}"
    )


def _try_words(tried: ev.Kick | ev.Conversion | None, names: Mapping[str, str]) -> str:
    """The try in brackets, like ` (B. Okafor kick)`; empty without one."""
    if isinstance(tried, ev.Kick):
        kicker = "" if tried.kicker is None else f"{_name(tried.kicker, names)} "
        result = {"good": "", "blocked": " blocked"}.get(tried.result, " failed")
        return f" ({kicker}kick{result})"
    if isinstance(tried, ev.Conversion):
        act = "pass" if tried.kind == "pass" else "run"
        if not tried.good:
            return f" ({act} failed)"
        by = f" from {_name(tried.passer, names)}" if tried.kind == "pass" else ""
        return f" ({_name(tried.player, names)} {act}{by})"
    return ""


def _safety_words(details: SafetyWay, by: str, names: Mapping[str, str]) -> str:
    player = _name(details.player, names)
    match details.kind:
        case "sack":
            return f", {player} sacked in the end zone{by}"
        case "tackle":
            return f", {player} tackled in the end zone{by}"
        case "penalty":
            return f", {details.foul.lower() or 'foul'} in the end zone{by}"
        case "fumble":
            return f", fumble by {player} in the end zone{by}"
        case "blocked":
            return f", blocked {_KICK_WORDS.get(details.foul, details.foul)} in the end zone{by}"
    return by

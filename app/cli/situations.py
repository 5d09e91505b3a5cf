"""`pressbox situations`: how often the console's proposed next snap is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from app.record import events as ev
    from app.record.rules.football.rulebook import Rulebook
    from app.record.rules.football.suggestion import Standing, Suggestion
    from app.record.script import GameScript


@dataclass(frozen=True)
class Compared:
    """A snap of a game: the one that was proposed from the plays before it, and the actual one.

    `asked` is what the scorer was asked to look at, "" for nothing. `is_placed`: whether the file
    tells where the play before ended. It does not tell where a loose ball was recovered, so that
    the end of its return is a guess of the reader; a scorer sees it.
    """

    game_id: str
    play_number: int
    proposed: Suggestion
    actual: ev.Snap
    asked: str
    is_placed: bool

    @property
    def is_equal(self) -> bool:
        """Whether down, distance, spot and, except after a coin toss, possession are equal."""
        proposed = self.proposed
        possession = self.actual.possession if proposed.by_toss else proposed.possession
        return (possession, proposed.spot, proposed.down, proposed.distance) == (
            self.actual.possession,
            self.actual.spot,
            self.actual.down,
            self.actual.distance,
        )


def compared(script: GameScript) -> Iterator[Compared]:
    """Compare every snap of the game, in order."""
    from app.record import events as ev
    from app.record.rules.football.rulebook import rulebook
    from app.record.rules.football.situation import last_play, next_snap
    from scorer_console.record.effective_events import Fold

    book = rulebook(script.competition, script.season, script.season_type)
    clubs = script.home.id, script.away.id
    fold, play = Fold(), 0
    for number, step in enumerate(script.events, start=1):
        if isinstance(step.body, ev.Snap):
            play += 1
            proposed = next_snap(
                fold.effective, home=script.home.id, away=script.away.id, book=book
            )
            asked = _asked(proposed, fold.effective, clubs, book)
            _, action = last_play(fold.effective)
            is_placed = not any(
                isinstance(body, ev.Run) and body.kind == "after_recovery" for body in action
            )
            yield Compared(script.game_id, play, proposed, step.body, asked, is_placed)
        of_play = play if step.play_number is None else step.play_number
        event = ev.GameEvent(
            game_id=script.game_id,
            event_number=number,
            play_number=of_play,
            epoch=1,
            recorded_at=0,
            body=step.body,
        )
        fold = fold.with_events([event])


def _asked(
    proposed: Suggestion, events: Sequence[Standing], clubs: tuple[str, str], book: Rulebook
) -> str:
    """Return why the console asks the scorer to look; the first of several reasons."""
    from app.record import events as ev
    from app.record.rules.football.ball import ball_after
    from app.record.rules.football.situation import last_play

    if not proposed.check:
        return ""
    snap, action = last_play(events)
    if proposed.by_toss or snap is None:
        return "the toss"
    if proposed.situation == "try":
        return "the try"
    if ball_after(snap, action, *clubs, book).unsure:
        return "a spot that is not known"
    return "a flag" if any(isinstance(body, ev.Penalty) for body in action) else "the chains"


@click.command()
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--misses", is_flag=True, help="List only the snaps that differ from the suggestion.")
def situations(files: tuple[Path, ...], misses: bool) -> None:
    """Compare the next snap that the console proposes with the one in play-by-play FILES.

    Prints a line per snap: game, play, = or a miss (? if the console asks the scorer to look),
    proposed, came, why. Then it prints what the console asks the scorer to look at, how often, and
    how often in vain. The last line has the rate of equal possession, down, distance and spot. No
    database is needed.
    """
    from app.record.play_by_play import read_games
    from app.record.words import down_and_distance, spot

    snaps = equal = 0
    in_vain, rightly = Counter[str](), Counter[str]()
    for script in read_games(files):
        other = {script.home.id: script.away.id, script.away.id: script.home.id}

        def words(snap: ev.Snap, other: dict[str, str] = other) -> str:
            where = spot(snap.possession, snap.spot, other[snap.possession])
            return f"{snap.possession} {down_and_distance(snap)} at {where}"

        for snap in compared(script):
            snaps += 1
            equal += snap.is_equal
            if snap.asked:
                (in_vain if snap.is_equal else rightly)[snap.asked] += 1
            mark = "="
            if not snap.is_equal:
                mark = "?" if snap.asked else "MISS"
            if not (misses and snap.is_equal):
                miss = "" if snap.is_equal else f"; came {words(snap.actual)}"
                why = snap.proposed.why
                click.echo(
                    f"{snap.game_id} {snap.play_number:>3} {mark:4} "
                    f"{words(snap.proposed.as_snap())}{miss} ({why})"
                )
    for asked in sorted(in_vain | rightly):
        click.echo(
            f"Asked to check {asked}: {in_vain[asked]:,} as suggested, {rightly[asked]:,} not."
        )
    missed = snaps - equal
    rate = f"{equal / snaps:.2%}" if snaps else "none"
    idle, looked = in_vain.total(), rightly.total()
    marked = f"{idle / equal:.1%}" if equal else "none"
    click.echo(
        f"{snaps:,} snaps, {equal:,} as suggested ({rate}). Marked to check: {looked} of the "
        f"{missed} others, and {idle:,} ({marked}) of those as suggested."
    )

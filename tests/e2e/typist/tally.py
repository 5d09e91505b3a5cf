"""What is counted while a game is typed, and the lines that say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from app.record import events as ev


@dataclass
class Tally:
    """`plays`: keys of each play.

    `prompts`: questions that proposed something; `overruled`: where something else came.

    `untyped`: what could not be typed, with play and reason. `unasked_for`: questions that the
    typist knows nothing of, answered as proposed. `faults`: entries that became something else than
    was meant. `wrong`: points that are not the published ones, `rebuilt`: tables that came out of
    the stream differently; None while nobody has compared.
    """

    game: str
    plays: list[int] = field(default_factory=list)
    prompts: int = 0
    overruled: Counter[str] = field(default_factory=Counter)
    untyped: list[tuple[int, str, str]] = field(default_factory=list)
    unasked_for: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    wrong: list[str] | None = None
    rebuilt: list[str] | None = None
    seconds: float = 0.0

    def could_not(self, play: int, body: ev.Body, reason: str) -> None:
        self.untyped.append((play, ev.type_of(body), reason))

    def overrule(self, prompt: str) -> None:
        self.overruled[prompt] += 1

    def unknown(self, question: str) -> None:
        self.unasked_for[question] += 1

    @property
    def untyped_plays(self) -> int:
        return len({play for play, _, _ in self.untyped})

    @property
    def is_equal(self) -> bool:
        return self.wrong == []

    @property
    def is_right(self) -> bool:
        """Nothing was left out, became something else, or is otherwise in the stream."""
        return self.is_equal and self.rebuilt == [] and not self.untyped and not self.faults


def summary(tallies: Sequence[Tally]) -> str:
    """Keys a play (median, 90th percentile), prompts overruled, plays that could not be typed.

    Of one game or many.
    """
    keys = [play for tally in tallies for play in tally.plays]
    prompts = sum(tally.prompts for tally in tallies)
    overruled = sum(tally.overruled.total() for tally in tallies)
    share = f" ({overruled / prompts:.1%} of {prompts} that proposed something)" if prompts else ""
    tenths = quantiles(keys, n=10, method="inclusive") if len(keys) > 1 else [0.0] * 9
    return (
        f"{len(keys)} plays, keys a play: median {median(keys or [0]):g}, 90th percentile "
        f"{tenths[-1]:g}; "
        f"prompts overruled: {overruled}{share}; "
        f"plays that could not be typed: {sum(tally.untyped_plays for tally in tallies)}"
    )


def closing(tallies: Sequence[Tally]) -> str:
    equal = sum(tally.is_equal for tally in tallies)
    again = sum(tally.rebuilt == [] for tally in tallies)
    games = (
        f"{equal} of {len(tallies)} games equal to the published points, {again} the same from the "
        "stream again"
    )
    return f"{games}; {summary(tallies)}"


def lines(tally: Tally) -> list[str]:
    """What is said of one game: its figures, then each reason."""
    points = (
        "not compared"
        if tally.wrong is None
        else "points equal"
        if tally.is_equal
        else "POINTS DIFFER"
    )
    again = (
        "not rebuilt"
        if tally.rebuilt is None
        else "REBUILT DIFFERENTLY"
        if tally.rebuilt
        else "rebuilt the same"
    )
    lines = [f"{tally.game}: {points}, {again}; {summary([tally])}; {tally.seconds:.0f} s"]
    lines += [f"  play {play}, {what}: not typed: {reason}" for play, what, reason in tally.untyped]
    lines += [f"  {fault}" for fault in tally.faults]
    lines += [f"  differs: {line}" for line in tally.wrong or []]
    lines += [f"  rebuilt: {line}" for line in tally.rebuilt or []]
    lines += [
        f"  not known to the typist, taken as proposed: {q} ({n})"
        for q, n in tally.unasked_for.most_common()
    ]
    return lines

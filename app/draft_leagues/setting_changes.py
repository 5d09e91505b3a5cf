"""Which settings of a draft league can still change after its draft. Pure.

What has been drafted or played stays. Everything else may change: waivers, trades and keepers at
any time, starters, bench, divisions and rivals until the first gameweek begins, the season's other
rules until the play-offs begin, places of a roster as long as nobody loses theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import asdict, replace

from app.core.plurals import counted
from app.core.refusals import Refusal
from app.draft_leagues.settings import DraftLeagueSettings
from app.fantasy.rosters.rules import ACTIVE

LINEUP = ("starters", "bench", "best_ball")  # the places of a line-up
PAIRS = ("divisions", "rivals", "rivals_week")  # the schedule of the whole season follows from them


@dataclass(frozen=True)
class Progress:
    """How far a league is.

    Attributes:
        is_over: Whether the season is over.
        weeks_begun: How many gameweeks of its season have begun, play-offs included.
        regular_weeks: How many gameweeks its regular season has.
        spots: The most footballers that a franchise has in each spot, with the franchise's name.
        open_claims: How many claims wait for the next run.
    """

    is_over: bool
    weeks_begun: int
    regular_weeks: int
    spots: Mapping[str, tuple[int, str]]
    open_claims: int

    @property
    def have_playoffs_begun(self) -> bool:
        """Whether a gameweek after the regular season has begun."""
        return self.is_over or self.weeks_begun > self.regular_weeks


def refusals(
    before: DraftLeagueSettings, after: DraftLeagueSettings, progress: Progress
) -> list[Refusal]:
    """Everything that cannot change any more, in the order of the settings."""
    return [
        *_general(before, after),
        *_roster(before, after, progress),
        *_draft(before, after),
        *_waivers(before, after, progress),
        *_season(before, after, progress),
    ]


def with_origin(before: DraftLeagueSettings, after: DraftLeagueSettings) -> DraftLeagueSettings:
    """The new settings, with what nobody changes: whether teams bring last season's rosters."""
    return replace(after, continues_rosters=before.continues_rosters)


def changed(before: Struct, after: Struct, path: str) -> list[str]:
    """The fields of a part that are different, as paths of the settings document."""
    old, new = asdict(before), asdict(after)
    return [f"{path}.{name}" for name in old if old[name] != new[name]]


def _refusal(field: str, text: str) -> Refusal:
    return Refusal(field.rpartition(".")[2], field, text)


def _general(before: DraftLeagueSettings, after: DraftLeagueSettings) -> Iterator[Refusal]:
    if after.franchises != before.franchises:
        yield _refusal("franchises", "The league has drafted. The number of teams is fixed.")
    if after.scoring != before.scoring:
        yield _refusal(
            "scoring",
            "After the draft, new scoring applies to the whole season. Change it on the "
            "league's settings page, which shows a preview first.",
        )


def _roster(
    before: DraftLeagueSettings, after: DraftLeagueSettings, progress: Progress
) -> Iterator[Refusal]:
    for path in changed(before.roster, after.roster, "roster"):
        if path.rpartition(".")[2] in LINEUP and (progress.weeks_begun or progress.is_over):
            yield _refusal(
                path,
                "Lineup slots are fixed for this season. You can change them when the next "
                "season starts.",
            )
    most, name = progress.spots.get(ACTIVE, (0, ""))
    if after.roster.active < min(most, before.roster.active):
        yield _refusal(
            "roster.bench",
            f"{name} has {most} active players. Keep at least {most} starter and bench slots, or "
            "have them drop players first.",
        )
    for spot, title in (("reserve", "on injured reserve"), ("taxi", "on the taxi squad")):
        most, name = progress.spots.get(spot, (0, ""))
        room = getattr(after.roster, spot)
        if room < most:
            yield _refusal(
                f"roster.{spot}",
                f"{name} has {most} {title}. Choose at least {most}, or have them move players "
                "first.",
            )
    if progress.is_over and after.roster.substitutes_come_on != before.roster.substitutes_come_on:
        yield _refusal("roster.substitutes_come_on", "The season is over. Its results are final.")


def _draft(before: DraftLeagueSettings, after: DraftLeagueSettings) -> Iterator[Refusal]:
    for path in changed(before.draft, after.draft, "draft"):
        yield _refusal(path, "The league has drafted. You can change this next season.")


def _waivers(
    before: DraftLeagueSettings, after: DraftLeagueSettings, progress: Progress
) -> Iterator[Refusal]:
    if after.waivers.kind == before.waivers.kind or not progress.open_claims:
        return
    claims = "1 claim is" if progress.open_claims == 1 else f"{progress.open_claims} claims are"
    yield _refusal(
        "waivers.kind",
        f"{claims} open under the current rules. Change them after the next run.",
    )


def _season(
    before: DraftLeagueSettings, after: DraftLeagueSettings, progress: Progress
) -> Iterator[Refusal]:
    paths = changed(before.season, after.season, "season")
    if paths and progress.have_playoffs_begun:
        text = "The season is over" if progress.is_over else "The playoffs have begun"
        yield _refusal(paths[0], f"{text}. You can change the rules next season.")
        return
    for path in paths:
        name = path.rpartition(".")[2]
        if name == "first_week":
            yield _refusal(path, "The schedule starts this week. You can change it next season.")
        elif name in PAIRS and progress.weeks_begun:
            yield _refusal(
                path,
                "The first week has begun, so the schedule is fixed until next season.",
            )
    if paths and after.season.regular_weeks < progress.weeks_begun:
        yield _refusal(
            "season.regular_weeks",
            f"{counted(progress.weeks_begun, 'week')} of the season "
            f"{'has' if progress.weeks_begun == 1 else 'have'} begun. Choose at least as many.",
        )

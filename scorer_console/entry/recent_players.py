"""Finds who acted last in each role, by club, as a proposal for the next entry. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.record import events as ev
from scorer_console.record.effective_events import EffectiveEvent


@dataclass(frozen=True)
class RecentPlayers:
    """The last player of each role, by club."""

    passer: dict[str, str]
    runner: dict[str, str]
    place_kicker: dict[str, str]
    punter: dict[str, str]


NOBODY = RecentPlayers({}, {}, {}, {})


def recent_players(
    events: Iterable[EffectiveEvent], before: RecentPlayers = NOBODY
) -> RecentPlayers:
    """Return who acted last, by club; before these events it was `before`."""
    recent = RecentPlayers(**{role: dict(last) for role, last in vars(before).items()})
    for event in events:
        match event.body:
            case ev.Pass(team=team, passer=str(who)):
                recent.passer[team] = who
            case ev.Sack(team=team, player=str(who)):
                recent.passer[team] = who
            case ev.Run(team=team, player=str(who), kind="rush"):
                recent.runner[team] = who
            case ev.Kick(team=team, kicker=str(who), kind="punt"):
                recent.punter[team] = who
            case ev.Kick(
                team=team, kicker=str(who), kind="kickoff" | "onside" | "field_goal" | "extra_point"
            ):
                recent.place_kicker[team] = who
    return recent

"""Made-up movements of a play of Harbor (HRB) against Summit (SUM), and its statistics."""

from __future__ import annotations

from app.record import events as ev
from app.record.rules.stat_lines import game_credits, stat_lines

H, S = "HRB", "SUM"
SNAP = ev.Snap(possession=H, spot=30, period=1, clock=600, down=1, distance=10)
PUNT = ev.Kick(team=H, kicker="punter", kind="punt", result="returned", start_yard=30, distance=40)
KICKOFF = ev.Kick(
    team=H, kicker="kicker", kind="kickoff", result="returned", start_yard=35, distance=60
)


def catch(
    to: int, *, touchdown: bool = False, passer: str = "passer", receiver: str | None = "catcher"
) -> ev.Pass:
    return ev.Pass(
        team=H,
        passer=passer,
        receiver=receiver,
        result="complete",
        throw_yard=30,
        reception_yard=to,
        is_touchdown=touchdown,
    )


def run(
    kind: str, player: str | None, start: int, end: int, *, team: str = H, touchdown: bool = False
) -> ev.Run:
    return ev.Run(
        team=team, player=player, kind=kind, start_yard=start, end_yard=end, is_touchdown=touchdown
    )  # type: ignore[arg-type]


def fumble(player: str | None, team: str = H, by: str | None = None) -> ev.Fumble:
    return ev.Fumble(
        team=team, player=player, forced_by=by, forced_by_team=None if by is None else S
    )


def recovery(player: str | None, team: str, *, touchdown: bool = False) -> ev.Recovery:
    return ev.Recovery(team=team, player=player, is_touchdown=touchdown)


def stats(*bodies: ev.Body) -> dict[str, dict[str, int]]:
    """Statistics by player of one play of Harbor."""
    numbered = [(n, 1, body) for n, body in enumerate((SNAP, *bodies), 1)]
    return {player: line.stats for player, line in stat_lines(game_credits(numbered)).items()}

"""Contradictions in the record of a game (app/record/rules/proof.py), for the console.

The proofs of the games that were shown last are cached, so that a key press only checks the plays
that it may have changed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from app.record.rules.proof import Proved, Recorded, Setting, prove
from app.record.rules.proof_plays import Finding
from scorer_console.record.accepted import KEPT_GAMES

_kept: OrderedDict[str, Proved] = OrderedDict()
_lock = Lock()


def newly_unbalanced(
    game_id: str, setting: Setting, before: Sequence[Recorded], after: Sequence[Recorded]
) -> list[Finding]:
    """Return what does not add up with the events `after` but did with those `before`, by play.

    Both are the events that count, in the order of the game.
    """
    with _lock:
        earlier = _kept.get(game_id)
    proved = prove(before, setting, earlier)
    changed = prove(after, setting, proved)
    known = {(finding.kind, finding.play_number) for finding in proved.findings}
    return [
        finding
        for finding in changed.findings
        if finding.play_number and (finding.kind, finding.play_number) not in known
    ]


def unbalanced_in(game_id: str, setting: Setting, events: Sequence[Recorded]) -> list[Finding]:
    """Return the findings of `proof` for these valid events, in the order of the game."""
    with _lock:
        earlier = _kept.get(game_id)
    proved = prove(events, setting, earlier)
    with _lock:
        _kept[game_id] = proved
        _kept.move_to_end(game_id)
        while len(_kept) > KEPT_GAMES:
            _kept.popitem(last=False)
    return proved.findings

"""Corrections in the words that members read: the play they are about, not event numbers.

Scorers and files see event numbers: `words` in app/record/events/corrections.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import text

from app.core.db import db
from app.record import events as ev
from app.record.words import Sentence, named_sentence

Key = tuple[str, int]  # game, number of the correction

# Of each event that a correction is about, the revision that stood before it.
_CORRECTED = text("""
    SELECT c.game_id, c.revision AS number, e.body
    FROM unnest(CAST(:games AS text[]), CAST(:numbers AS int[])) AS t (game_id, number)
    JOIN corrections c ON (c.game_id, c.revision) = (t.game_id, t.number)
    JOIN LATERAL (
      SELECT body, event_number FROM events
      WHERE (game_id, event_number) = (c.game_id, c.event_number) AND revision < c.revision
      ORDER BY revision DESC LIMIT 1
    ) e ON true
    ORDER BY c.game_id, c.revision, e.event_number
""")


def corrected_by(keys: Collection[Key]) -> dict[Key, list[ev.Body]]:
    """The rulings that each of these corrections took away, by event number.

    Other events have none.
    """
    if not keys:
        return {}
    ordered = sorted(keys)
    values = {"games": [game for game, _ in ordered], "numbers": [number for _, number in ordered]}
    corrected: dict[Key, list[ev.Body]] = {}
    for game, number, body in db.session.execute(_CORRECTED, values):
        corrected.setdefault((game, number), []).append(ev.body_from(body))
    return corrected


def told(body: ev.Body, names: Mapping[str, str], corrected: Sequence[ev.Body] = ()) -> Sentence:
    """An event as members read it; a correction with what it is about (`corrected`) and why.

    >>> run = ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=40)
    >>> str(told(ev.Nullify(events=(8,), reason="Holding"), {"H3": "Sam Hill"}, [run]))
    'No play (Holding): Sam Hill runs for 10 yards.'
    """
    if isinstance(body, ev.Nullify):
        plays = _sentences(corrected, names)
        return Sentence.of(f"No play{_because(body.reason)}{f': {plays}' if plays else '.'}")
    if isinstance(body, ev.Overturn | ev.StatCorrection):
        ruling, before = named_sentence(body.ruling, names).marked, _sentences(corrected, names)
        before_words = f" Before: {before}" if before not in ("", ruling) else ""
        return Sentence.of(f"{_kind(body)}{_because(body.reason)}: {ruling}{before_words}")
    return named_sentence(body, names)


def _kind(body: ev.Overturn | ev.StatCorrection) -> str:
    if isinstance(body, ev.StatCorrection):
        return "Stat correction"
    return "Corrected" if body.by_scorer else "Overturned"


def _sentences(bodies: Sequence[ev.Body], names: Mapping[str, str]) -> str:
    """What happened in these events; without movements, all but the snap. Names are marked."""
    actions = [body for body in bodies if body.part == "action"]
    about: Sequence[ev.Body] = actions or [body for body in bodies if not isinstance(body, ev.Snap)]
    return " ".join(named_sentence(body, names).marked for body in about)


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""

"""Scores of matches that went to extra time or penalties, from three public providers.

They become the fields of docs/providers.md.

Each function takes a match as its provider gives it and returns the fields that say how it stands:
`status`, `homeScore`, `awayScore`, and for a match that went beyond regulation its parts.
"""

from __future__ import annotations

from typing import Any

Fields = dict[str, Any]
Pair = dict[str, int | None]

_DURATIONS = {"REGULAR": "regulation", "EXTRA_TIME": "extra_time", "PENALTY_SHOOTOUT": "shootout"}
_BEYOND_REGULATION = ("ET", "BT", "P", "AET", "PEN")


def from_football_data(match: Fields) -> Fields:
    """A match of football-data.org v4 (https://docs.football-data.org/general/v4/overtime.html).

    `status` stays FINISHED however a match ended: `score.duration` says how far it went. `fullTime`
    includes the goals of a shoot-out, `extraTime` and `penalties` are the goals of that part alone.
    """
    score = match["score"]
    fields = _status(match["status"], score["fullTime"])
    fields["duration"] = _DURATIONS[score.get("duration") or "REGULAR"]
    if fields["duration"] != "regulation":
        fields["regulation"] = score.get("regularTime")
        fields["afterExtraTime"] = _sum(score.get("regularTime"), score.get("extraTime"))
        fields["shootout"] = score.get("penalties")
    return fields


def from_api_football(fixture: Fields) -> Fields:
    """A fixture of API-Football v3.

    `goals` has the goals of extra time, and never those of a shoot-out.
    """
    word = fixture["fixture"]["status"]["short"]
    fields = _status(word, fixture["goals"])
    if word in _BEYOND_REGULATION:
        fields["regulation"] = fixture["score"]["fulltime"]
        fields["afterExtraTime"] = fixture["goals"]
        fields["shootout"] = fixture["score"]["penalty"]
    return fields


def from_sportmonks(fixture: Fields) -> Fields:
    """A fixture of Sportmonks v3 with `include=state;scores`.

    `2ND_HALF` is the score after 90 minutes, `CURRENT` the final one without a shoot-out. `ET`, the
    goals of extra time alone, says only that there was one.
    """
    scores: dict[str, Pair] = {}
    for row in fixture["scores"]:
        side = row["score"]["participant"]
        scores.setdefault(row["description"], {"home": None, "away": None})[side] = row["score"][
            "goals"
        ]
    current = scores.get("CURRENT", {"home": None, "away": None})
    fields = _status(fixture["state"]["developer_name"], current)
    if "ET" in scores or "PENALTY_SHOOTOUT" in scores:
        fields["regulation"] = scores.get("2ND_HALF")
        fields["afterExtraTime"] = current
        fields["shootout"] = scores.get("PENALTY_SHOOTOUT")
    return fields


def _status(word: str, score: Pair) -> Fields:
    return {"status": word, "homeScore": score["home"], "awayScore": score["away"]}


def _sum(first: Pair | None, second: Pair | None) -> Pair | None:
    """None if a number is missing: Pressbox then waits and tells its operators."""
    if first is None or second is None:
        return None
    home, away = ([part[side] for part in (first, second)] for side in ("home", "away"))
    if None in home or None in away:
        return None
    return {"home": sum(home), "away": sum(away)}  # type: ignore[arg-type]

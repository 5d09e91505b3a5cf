"""Waivers of a season computed a second time, in plain Python.

Which runs there are, whom they decide about, and who wins. Nothing is shared with the app.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tests.demo.draft_season.plain_facts import Facts, Row
from tests.demo.draft_season.plain_moves import Holdings

DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
LONGEST_GAME = timedelta(hours=5)

Order = Callable[[datetime], list[int] | None]
"""Of a moment: the franchises of the table, the first place first; None before the first week."""


def waiver_differences(facts: Facts, table_order: Order, compared: Counter[str]) -> list[str]:
    """Decide every run anew, by the rosters, budgets and priorities before it."""
    settings = facts.settings["waivers"]
    wrong: list[str] = []
    priority = [
        *reversed(facts.draft["plan"]["order"])
    ]  # as on Yahoo: whoever drafts last claims first
    for run in facts.runs:
        holdings = Holdings()
        source = f"waivers:{run['id']}:"
        before = next(
            (
                entry["number"]
                for entry in facts.log
                if (entry["source"] or "").startswith(source)
                or entry["made_at"] > run["processed_at"]
            ),
            len(facts.log) + 1,
        )
        for entry in facts.log[: before - 1]:
            holdings.act(entry["content"])
        if settings["kind"] == "reverse_standings":
            order = table_order(run["processed_at"])
            priority = order[::-1] if order is not None else priority
        if priority != run["priorities"]:
            wrong.append(f"run {run['id']}: priorities {run['priorities']}, not {priority}")
        claims = [claim for claim in facts.claims if claim["run_id"] == run["id"]]
        priority, decided = _decided(facts, run, claims, holdings, priority)
        for claim in claims:
            compared["claims"] += 1
            compared[f"claims {claim['result']}"] += 1
            if claim["result"] != decided[claim["id"]]:
                wrong.append(
                    f"run {run['id']}: claim {claim['id']} {claim['result']}, "
                    f"not {decided[claim['id']]}"
                )
        if any(claim["placed_at"] > run["scheduled_for"] for claim in claims):
            wrong.append(f"run {run['id']} decided a claim that came after it")
        by_log = {
            int(entry["source"].split(":")[-1])
            for entry in facts.log
            if (entry["source"] or "").startswith(source)
        }
        if by_log != {number for number, result in decided.items() if result == "won"}:
            wrong.append(f"run {run['id']}: the log has other winners")
    compared["waiver runs"] += len(facts.runs)
    return wrong


def _decided(
    facts: Facts, run: Row, claims: list[Row], holdings: Holdings, before: list[int]
) -> tuple[list[int], dict[int, str]]:
    """The priorities after a run, and the result of each of its claims."""
    by_bids = facts.settings["waivers"]["kind"] == "blind_bids"
    room = len(facts.places) + facts.bench
    priority, waiting = list(before), list(claims)
    decided: dict[int, str] = {}
    taken: set[str] = set()
    groups: set[tuple[int, int]] = set()
    while waiting:
        waiting.sort(
            key=lambda each: (
                -each["bid"] if by_bids else 0,
                priority.index(each["franchise"]),
                each["position"],
                each["id"],
            )
        )
        claim = waiting.pop(0)
        franchise, footballer, drop = claim["franchise"], claim["footballer_id"], claim["drop_id"]
        dropped = holdings.spots.get(drop) if drop else None
        active_after = holdings.active(franchise) + 1 - (dropped == (franchise, "active"))
        if claim["claim_group"] is not None and (franchise, claim["claim_group"]) in groups:
            decided[claim["id"]] = "skipped"
        elif footballer in taken:
            decided[claim["id"]] = "lost"
        elif _has_fit_reserve(claim, holdings) or (
            footballer in holdings.spots
            or (drop and (dropped is None or dropped[0] != franchise))
            or (drop and facts.begun(drop, run["processed_at"]))
            or active_after > room
            or claim["bid"] > holdings.budgets[franchise]
        ):
            decided[claim["id"]] = "impossible"
        else:
            decided[claim["id"]] = "won"
            taken.add(footballer)
            if claim["claim_group"] is not None:
                groups.add((franchise, claim["claim_group"]))
            if drop:
                del holdings.spots[drop]
            holdings.spots[footballer] = franchise, "active"
            holdings.budgets[franchise] -= claim["bid"]
            priority.remove(franchise)
            priority.append(franchise)
    return priority, decided


def _has_fit_reserve(claim: Row, holdings: Holdings) -> bool:
    """Whether the team's injured reserve keeps it from getting anybody.

    Nobody stores who was injured when: that somebody was fit again is taken from the reason, that
    the team had somebody there besides its drop is not.
    """
    reserve = (claim["franchise"], "reserve")
    others = any(
        place == reserve
        for footballer, place in holdings.spots.items()
        if footballer != claim["drop_id"]
    )
    return others and (claim["reason"] or "").endswith("still on your injured reserve.")


def run_differences(facts: Facts, compared: Counter[str]) -> list[str]:
    """Whether every run took place at its time, and decided all claims that were due, no others."""
    if facts.settings["waivers"]["kind"] == "free":
        return ["there were runs"] if facts.runs else []
    since = facts.log[0]["made_at"]
    last = facts.settled_at[facts.weeks[-1]]
    expected = [moment for moment in _run_times(facts) if since < moment <= last]
    wrong = []
    if [run["scheduled_for"] for run in facts.runs] != expected:
        wrong.append(f"there were {len(facts.runs)} waiver runs, not {len(expected)}")
    decided: set[int] = set()
    for run in facts.runs:
        moment = run["scheduled_for"]
        due = {
            claim["id"]
            for claim in facts.claims
            if claim["id"] not in decided
            and claim["placed_at"] <= moment
            and _clears_at(facts, claim["footballer_id"], moment) <= moment
        }
        in_run = {claim["id"] for claim in facts.claims if claim["run_id"] == run["id"]}
        if due != in_run:
            wrong.append(f"run {run['id']} decided {sorted(in_run)}, due were {sorted(due)}")
        decided |= in_run
        compared["claims that were due"] += len(due)
    return wrong


def _run_times(facts: Facts) -> Iterator[datetime]:
    """All runs around the season, by the clocks of the league's zone."""
    settings = facts.settings["waivers"]
    at = time.fromisoformat(settings["time"])
    zone = ZoneInfo(facts.settings["time_zone"])
    day = min(facts.deadlines.values()).astimezone(zone).date() - timedelta(days=30)
    end = max(facts.deadlines.values()).astimezone(zone).date() + timedelta(days=30)
    while day <= end:
        if DAYS[day.weekday()] in settings["days"]:
            yield datetime.combine(day, at, zone).astimezone(UTC)
        day += timedelta(days=1)


def _clears_at(facts: Facts, footballer: str, run_at: datetime) -> datetime:
    """The run that decides about somebody: after a drop and after the week of their game."""
    settings = facts.settings["waivers"]
    waits = [run_at]
    wait = timedelta(hours=settings["hours_after_drop"])
    for entry in reversed(facts.log):
        moves = [move for move in entry["content"]["moves"] if move["footballer_id"] == footballer]
        if moves and entry["made_at"] < run_at:
            if moves[0]["to_franchise"] is None and wait:
                waits.append(entry["made_at"] + wait)
            break
    begun = [week for week in facts.kickoffs if facts.deadlines[week] < run_at]
    if begun and settings["locks_at_kickoff"]:
        kickoffs = facts.kickoffs[max(begun)]
        kickoff = kickoffs.get(facts.clubs[footballer])
        if kickoff is not None and kickoff < run_at:
            waits.append(max(kickoffs.values()) + LONGEST_GAME)
    return next(moment for moment in _run_times(facts) if moment >= max(waits))

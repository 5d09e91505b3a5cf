"""Draft, rosters and trades of a season computed a second time, in plain Python.

Nothing is shared with the app. Each function returns a line for everything that differs from what
the app stored, and counts what it compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.demo.draft_season.plain_facts import Facts, Results, Row

BETWEEN_JOBS = timedelta(hours=3)  # the season is played with so long between two looks


@dataclass
class Holdings:
    """What franchises have: footballers with their kind of place, budgets, future picks."""

    spots: dict[str, tuple[int, str]] = field(default_factory=dict)
    budgets: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    picks: dict[tuple[int, int, int], int] = field(default_factory=dict)

    def active(self, franchise: int) -> int:
        return sum(spot == (franchise, "active") for spot in self.spots.values())

    def act(self, content: dict[str, Any]) -> list[str]:
        """Do what an entry of the log says; returns what was impossible."""
        wrong = []
        for move in content.get("moves", ()):
            owner = self.spots.pop(move["footballer_id"], (None, None))[0]
            if owner != move["from_franchise"]:
                wrong.append(f"{move['footballer_id']} was not with {move['from_franchise']}")
        for move in content.get("moves", ()):
            if move["to_franchise"] is not None:
                spot = move["to_franchise"], move.get("spot", "active")
                self.spots[move["footballer_id"]] = spot
        for budget in content.get("budgets", ()):
            self.budgets[budget["franchise"]] += budget["amount"]
            if self.budgets[budget["franchise"]] < 0:
                wrong.append(f"franchise {budget['franchise']} spent more than it had")
        for pick in content.get("picks", ()):
            key = pick["season"], pick["round"], pick["original_franchise"]
            if self.picks.get(key, key[2]) != pick["from_franchise"]:
                wrong.append(f"pick {key} was not with {pick['from_franchise']}")
            self.picks[key] = pick["to_franchise"]
        return wrong


def roster_differences(facts: Facts, results: Results, compared: Counter[str]) -> list[str]:
    """Fold the log, check the sizes after every entry, and compare the end and every line-up."""
    wrong: list[str] = []
    holdings = Holdings()
    roster = facts.settings["roster"]
    most = {
        "active": len(facts.places) + facts.bench,
        "reserve": roster["reserve"],
        "taxi": roster["taxi"],
    }
    at_kickoff: dict[tuple[int, int], set[str]] = defaultdict(set)
    moments = sorted(
        {(kickoff, week) for week in facts.weeks for kickoff in facts.kickoffs[week].values()}
    )
    for entry in facts.log:
        while moments and moments[0][0] < entry["made_at"]:
            _note_rosters(facts, holdings, at_kickoff, *moments.pop(0))
        wrong += [f"entry {entry['number']}: {text}" for text in holdings.act(entry["content"])]
        sizes = Counter(holdings.spots.values())
        wrong += [
            f"entry {entry['number']}: {count} {spot} footballers of franchise {franchise}"
            for (franchise, spot), count in sizes.items()
            if count > most[spot]
        ]
    for moment in moments:
        _note_rosters(facts, holdings, at_kickoff, *moment)
    compared["entries of the log"] += len(facts.log)
    compared["footballers on rosters"] += len(holdings.spots)
    if holdings.spots != results.spots:
        wrong.append("the rosters are others than the log adds up to")
    if dict(holdings.budgets) != results.budgets:
        wrong.append(f"budgets are {results.budgets}, not {dict(holdings.budgets)}")
    if holdings.picks != results.picks:
        wrong.append("future picks belong to others than the log says")
    for (week, franchise), picks in facts.lineups.items():
        if week not in facts.weeks:
            continue
        named = [pick for pick in picks if pick]
        compared["line-ups"] += 1
        strangers = set(named) - at_kickoff[week, franchise]
        if strangers or len(set(named)) < len(named):
            wrong.append(f"week {week}: franchise {franchise} lined up {sorted(strangers)}")
    return wrong


def _note_rosters(
    facts: Facts,
    holdings: Holdings,
    at_kickoff: dict[tuple[int, int], set[str]],
    kickoff: datetime,
    week: int,
) -> None:
    """Who may count for a franchise in a week: those it had at the kickoff of their own game.

    Who has no game counts if they are there at the last kickoff.
    """
    kickoffs = facts.kickoffs[week]
    last = max(kickoffs.values())
    for footballer, (franchise, spot) in holdings.spots.items():
        if spot == "active" and kickoffs.get(facts.clubs[footballer], last) == kickoff:
            at_kickoff[week, franchise].add(footballer)


def draft_differences(facts: Facts, results: Results, compared: Counter[str]) -> list[str]:
    """Whose turn each pick was; of an auction, who had bid most and at which price they bought."""
    plan = facts.draft["plan"]
    drafted = {
        entry["content"]["moves"][0]["footballer_id"]: entry["content"]["moves"][0]["to_franchise"]
        for entry in facts.log
        if entry["kind"] == "drafted"
    }
    wrong = []
    if drafted != {footballer: franchise for _, franchise, footballer in results.draft_picks}:
        wrong.append("the rosters began with others than the draft says")
    compared["picks of the draft"] += len(results.draft_picks)
    turns = len(facts.franchises) * plan["rounds"]
    if len(results.draft_picks) != turns:
        wrong.append(f"{len(results.draft_picks)} picks instead of {turns}")
    if plan["kind"] == "auction":
        return [*wrong, *_auction_differences(facts)]
    order = plan["order"]
    expected = []
    for number in range(1, plan["rounds"] + 1):
        backwards = number % 2 == 0
        if plan["kind"] == "linear":
            backwards = False
        elif plan["kind"] == "third_round_reversal" and number > 2:
            backwards = not backwards
        expected += order[::-1] if backwards else order
    turn_order = [franchise for _, franchise, _ in results.draft_picks]
    if turn_order != expected:
        wrong.append("somebody picked out of turn")
    return wrong


def _auction_differences(facts: Facts) -> list[str]:
    plan = facts.draft["plan"]
    money = dict.fromkeys(facts.franchises, plan["budget"])
    bought = Counter[int]()
    wrong: list[str] = []
    maximums: dict[int, tuple[int, int]] = {}
    for number, event in enumerate(facts.draft_events):
        if event["kind"] == "nominated":
            maximums = {event["franchise"]: (event["maximum"], -number)}
        elif event["kind"] == "bid":
            maximums[event["franchise"]] = (event["maximum"], -number)
        elif event["kind"] == "sold":
            winner = max(maximums, key=lambda each: maximums[each])
            highest = maximums.pop(winner)[0]
            second = max((maximum for maximum, _ in maximums.values()), default=0)
            price = min(highest, second + 1)
            if (event["franchise"], event["price"]) != (winner, price):
                wrong.append(f"sale {number}: {event} instead of {winner} for {price}")
            money[winner] -= price
            bought[winner] += 1
            if money[winner] < plan["places"] - bought[winner]:
                wrong.append(f"sale {number}: too little is left to franchise {winner}")
    return wrong


def trade_differences(facts: Facts, compared: Counter[str]) -> list[str]:
    """Which trades took effect, when, and that the log moves what was agreed."""
    wrong: list[str] = []
    settings = facts.settings["trades"]
    entries = {
        int(entry["source"].removeprefix("trade:")): entry
        for entry in facts.log
        if (entry["source"] or "").startswith("trade:")
    }
    for trade in facts.trades:
        compared["trades offered"] += 1
        events = facts.trade_events[trade["id"]]
        kinds = [event["body"]["kind"] for event in events]
        entry = entries.pop(trade["id"], None)
        if (entry is not None) != ("executed" in kinds):
            wrong.append(f"trade {trade['id']}: the log says something else than {kinds}")
        against = {
            event["body"]["franchise"]: event["body"].get("stops", False)
            for event in events
            if event["body"]["kind"] == "voted"
        }
        is_outvoted = sum(against.values()) >= settings["votes_to_stop"]
        if settings["review"] == "vote" and is_outvoted != ("stopped" in kinds):
            wrong.append(f"trade {trade['id']}: {against} and {kinds}")
        if entry is not None:
            compared["trades executed"] += 1
            wrong += [f"trade {trade['id']}: {text}" for text in _trade_faults(facts, trade, entry)]
    return [*wrong, *(f"trade {number} does not exist" for number in entries)]


def _trade_faults(facts: Facts, trade: Row, entry: Row) -> list[str]:
    wrong = []
    settings = facts.settings["trades"]
    events = facts.trade_events[trade["id"]]
    accepted = {
        event["body"]["franchise"]: event["body"].get("drops", [])
        for event in events
        if event["body"]["kind"] in ("offered", "accepted")
    }
    terms = trade["terms"]
    if set(accepted) != set(trade["franchises"]):
        wrong.append(f"only {sorted(accepted)} accepted")
    moves = {
        (gift["footballer_id"], gift["from_franchise"], gift["to_franchise"])
        for gift in terms.get("footballers", ())
    } | {(drop, franchise, None) for franchise, drops in accepted.items() for drop in drops}
    done = {
        (move["footballer_id"], move["from_franchise"], move["to_franchise"])
        for move in entry["content"]["moves"]
    }
    if moves != done:
        wrong.append(f"moved {done}, agreed {moves}")
    budgets = Counter[int]()
    for gift in terms.get("budgets", ()):
        budgets[gift["from_franchise"]] -= gift["amount"]
        budgets[gift["to_franchise"]] += gift["amount"]
    moved = {each["franchise"]: each["amount"] for each in entry["content"].get("budgets", ())}
    if dict(budgets) != moved or list(terms.get("picks", ())) != list(
        entry["content"].get("picks", ())
    ):
        wrong.append("budget or picks moved otherwise than agreed")
    last_acceptance = max(
        event["made_at"] for event in events if event["body"]["kind"] in ("offered", "accepted")
    )
    is_approved = any(event["body"]["kind"] == "approved" for event in events)
    hours = 0 if settings["review"] == "none" or is_approved else settings["review_hours"]
    if entry["made_at"] < last_acceptance + timedelta(hours=hours):
        wrong.append("it took effect before its review was over")
    deadline = facts.deadlines.get(settings["deadline_week"])
    if deadline is not None and entry["made_at"] > deadline + BETWEEN_JOBS:
        wrong.append("it took effect after the deadline")
    return wrong

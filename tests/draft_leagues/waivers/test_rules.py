"""Which claims win, by example and against a plain model."""

from __future__ import annotations

from random import Random

import pytest

from app.draft_leagues.waivers.rules import Claim, Kind, Processed, Run, process
from app.fantasy.rosters.rules import Limits, Names, Place, Rosters, applied, refusals

NAMES = {1: "Ann FC", 2: "Bob FC", 3: "Cat FC"}
ROOM = Limits(9, 0, 0)


def decide(
    kind: Kind,
    *claims: Claim,
    rosters: Rosters | None = None,
    limits: Limits = ROOM,
    begun: tuple[str, ...] = (),
) -> Processed:
    names = {each: each.upper() for each in "abcdefgh"}
    run = Run(kind, rosters or Rosters(), limits, (1, 2, 3), NAMES, names, begun)
    return process(claims, run)


def said(processed: Processed) -> dict[int, str]:
    return {outcome.claim.id: outcome.reason for outcome in processed.outcomes}


def test_priority_decides_and_the_winner_moves_to_the_end() -> None:
    processed = decide(
        "rolling",
        Claim(1, 2, "a", None, 0, 1),
        Claim(2, 1, "a", None, 0, 1),
        Claim(3, 1, "b", None, 0, 2),
        Claim(4, 2, "b", None, 0, 2),
    )
    assert said(processed) == {
        2: "Won with priority 1.",
        1: "Lost to Ann FC, whose priority was 1; yours was 2.",
        4: "Won with priority 2.",
        3: "Lost to Bob FC, whose priority was 2; yours was 1 after winning another claim.",
    }
    assert processed.priorities == (3, 1, 2)


def test_the_highest_bid_wins_and_priority_breaks_a_tie() -> None:
    rosters = Rosters(budgets={1: 100, 2: 100, 3: 8})
    processed = decide(
        "blind_bids",
        Claim(1, 1, "a", None, 5, 1),
        Claim(2, 2, "a", None, 20, 1),
        Claim(3, 3, "b", None, 8, 1),
        Claim(4, 2, "b", None, 8, 2),
        Claim(5, 3, "c", None, 1, 2),
        rosters=rosters,
    )
    assert said(processed) == {
        2: "Won with a bid of 20.",
        3: "Won with a bid of 8.",
        4: "Lost to Cat FC, who also bid 8 and had better priority.",
        1: "Lost to Bob FC, who bid 20; you bid 5.",
        5: "You had 0 of your budget left and bid 1.",
    }


def test_only_the_first_of_a_group_counts_and_a_drop_is_used_once() -> None:
    rosters = Rosters({"x": Place(1), "y": Place(1)})
    processed = decide(
        "rolling",
        Claim(1, 1, "a", "x", 0, 1, group=1),
        Claim(2, 1, "b", "y", 0, 2, group=1),
        Claim(3, 1, "c", "x", 0, 3),
        rosters=rosters,
        limits=Limits(2, 0, 0),
    )
    assert said(processed) == {
        1: "Won with priority 1.",
        2: "Skipped: you got A.",
        3: "You had already dropped x for A.",
    }


def test_a_full_roster_a_begun_drop_and_a_footballer_of_a_team_are_no_wins() -> None:
    rosters = Rosters({"x": Place(1), "y": Place(2)})
    processed = decide(
        "rolling",
        Claim(1, 1, "a", None, 0, 1),
        Claim(2, 1, "b", "x", 0, 2),
        Claim(3, 3, "y", None, 0, 1),
        rosters=rosters,
        limits=Limits(1, 0, 0),
        begun=("x",),
    )
    assert said(processed) == {
        1: "Your roster was full, and the claim had no player to drop.",
        2: "x's game had begun, so you could not drop them.",
        3: "y was already on a team.",
    }


def plain_winners(kind: Kind, claims: list[Claim], rosters: Rosters, limits: Limits) -> set[int]:
    """The rules as a person would follow them, one claim after the other."""
    line = [1, 2, 3]
    owned = {who: place.franchise for who, place in rosters.places.items()}
    money = dict(rosters.budgets)
    groups: set[tuple[int, int]] = set()
    won: set[int] = set()
    left = sorted(claims, key=lambda claim: (claim.position, claim.id))
    while left:
        if kind == "blind_bids":
            most = max(claim.bid for claim in left)
            ready = [claim for claim in left if claim.bid == most]
        else:
            ready = left
        franchise = next(number for number in line if any(c.franchise == number for c in ready))
        claim = next(claim for claim in ready if claim.franchise == franchise)
        left.remove(claim)
        size = sum(owner == franchise for owner in owned.values())
        if claim.group is not None and (franchise, claim.group) in groups:
            continue
        if claim.footballer_id in owned:
            continue
        if claim.drop_id is not None and owned.get(claim.drop_id) != franchise:
            continue
        if size + 1 - (claim.drop_id is not None) > limits.active and claim.drop_id is None:
            continue
        if claim.bid > money.get(franchise, 0):
            continue
        won.add(claim.id)
        owned[claim.footballer_id] = franchise
        if claim.drop_id is not None:
            del owned[claim.drop_id]
        money[franchise] = money.get(franchise, 0) - claim.bid
        if claim.group is not None:
            groups.add((franchise, claim.group))
        line.remove(franchise)
        line.append(franchise)
    return won


@pytest.mark.parametrize("kind", ["rolling", "reverse_standings", "blind_bids"])
def test_random_runs_are_those_of_a_plain_model(kind: Kind) -> None:
    random = Random(f"waivers {kind}")  # noqa: S311
    for _ in range(300):
        limits = Limits(random.randint(2, 4), 0, 0)
        places = {
            f"o{franchise}{number}": Place(franchise)
            for franchise in NAMES
            for number in range(random.randint(0, limits.active))
        }
        rosters = Rosters(places, {franchise: random.randint(0, 12) for franchise in NAMES})
        claims = []
        for number in range(random.randint(1, 14)):
            franchise = random.randint(1, 3)
            own_roster = [who for who, place in places.items() if place.franchise == franchise]
            claims.append(
                Claim(
                    number,
                    franchise,
                    random.choice("abcde"),
                    random.choice([None, *own_roster]),
                    random.randint(0, 6) if kind == "blind_bids" else 0,
                    number + 1,
                    random.choice([None, None, 1]),
                )
            )
        run = Run(kind, rosters, limits, (1, 2, 3), NAMES, {})
        processed = process(claims, run)
        won_ids = {outcome.claim.id for outcome in processed.outcomes if outcome.result == "won"}
        assert won_ids == plain_winners(kind, claims, rosters, limits)
        assert len(processed.outcomes) == len(claims)
        after = rosters
        for _, transaction in processed.transactions:
            assert refusals(after, transaction, limits, Names()) == []
            after = applied(after, transaction)
        assert min(after.budgets.values()) >= 0

"""What a team sheet must keep, and what it costs (PRODUCT B2, G6). Pure: values in, values out.

Lives here: every refusal of a team sheet, money, transfers, and what a pick does to a draft.
Not here: where the values come from and who writes (services.py), what the places are (formats.py).

Money is in tenths of a million. A footballer who stays keeps what he cost when he was bought; one who goes brings that
and half of what he has gained since, rounded down to a tenth (a loss counts in full); one who comes costs his price of
today. All of it is reckoned from the team sheet of the gameweek before, so that the way to a team sheet never matters.
Source: the rules of Fantasy Premier League, 2025/26 (selling prices, transfers saved up).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.fantasy.sheets.formats import Format

LEFT = "left"


@dataclass(frozen=True)
class Limits:
    """Of models.TeamRules. `transfer_cost`: thousandths of a point for each transfer beyond the free ones."""

    budget: int
    club_limit: int
    free_transfers: int | None
    bank_limit: int
    transfer_cost: int


@dataclass(frozen=True)
class Candidate:
    """A footballer as the market has him. `price` None: he is not on this season's market.

    `has_begun`: a game of his in this gameweek has kicked off.
    """

    id: str
    name: str
    position: str
    club_id: str | None
    club: str
    price: int | None
    status: str = "available"
    has_begun: bool = False

    @property
    def is_for_sale(self) -> bool:
        return self.price is not None and self.status != LEFT


@dataclass(frozen=True)
class Wanted:
    """What somebody wants to save: ids by place ('' where nobody stands), and two places, from 1 (0: none chosen).

    `edition`: of the sheet that he had before him (0: none saved yet); None: whatever is there is to be replaced.
    """

    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    edition: int | None = None


@dataclass(frozen=True)
class Earlier:
    """The team sheet before this gameweek's. `gameweeks_ago`: 1 for last gameweek's; more when some have none."""

    picks: tuple[str, ...]
    paid: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    gameweeks_ago: int = 1


@dataclass(frozen=True)
class Present:
    """What is saved, or carried over, for this gameweek. `edition` is 0 while nobody has saved it."""

    picks: tuple[str, ...]
    paid: tuple[int, ...]
    captain: int
    vice_captain: int
    bank: int
    edition: int


@dataclass(frozen=True)
class Account:
    """What a team sheet comes to. `paid` by place, 0 where nobody stands; `bank` below 0: too dear.

    `free_transfers`: how many this gameweek had to give, None without limit; `cost`: thousandths of a point.
    """

    paid: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    cost: int


@dataclass(frozen=True)
class Refusal:
    """A reason why a team sheet is not saved. `message`: a sentence that says what to change.

    `field`: picks, captain, vice_captain, budget, deadline or edition; `place`: from 1, where it is about one.
    `is_overridable`: whether a commissioner's word could stand against it (never about time or who stands where).
    """

    code: str
    message: str
    field: str = "picks"
    place: int | None = None
    is_overridable: bool = False


@dataclass(frozen=True)
class Situation:
    """All that a wanted sheet is judged by. `closed`: the sentence that says why this gameweek takes no sheets.

    `locks_each`: footballers lock one by one at their kickoffs. `market` has everybody who is named in anything here.
    """

    format: Format
    limits: Limits
    market: Mapping[str, Candidate]
    before: Earlier | None
    present: Present | None
    locks_each: bool = False
    closed: str = ""


def money(tenths: int) -> str:
    """
    >>> [money(t) for t in (1000, 45, -3)]
    ['100.0', '4.5', '-0.3']
    """
    whole, rest = divmod(abs(tenths), 10)
    return f"{'-' if tenths < 0 else ''}{whole}.{rest}"


def sale_price(paid: int, price: int | None) -> int:
    """What a footballer brings. One who left the market brings what he cost.

    >>> [sale_price(50, price) for price in (53, 54, 50, 47, None)]
    [51, 52, 50, 47, 50]
    """
    if price is None:
        return paid
    return paid + (price - paid) // 2 if price > paid else price


def free_transfers(before: Earlier | None, limits: Limits) -> int | None:
    """How many this gameweek has to give: what was left over and the new ones, up to the bank limit.

    None (no limit, no cost) for a first team sheet; after it just the new ones. A bank limit below the new ones means
    that nothing is saved up, not that there are fewer.

    >>> two = Limits(1000, 3, 2, 5, 4000)
    >>> [free_transfers(Earlier((), (), 0, had, made), two) for had, made in ((None, 0), (2, 0), (4, 1), (2, 5))]
    [2, 4, 5, 2]
    """
    if before is None or limits.free_transfers is None:
        return None
    new = limits.free_transfers
    most = max(new, limits.bank_limit)
    free = new if before.free_transfers is None else min(most, max(0, before.free_transfers - before.transfers) + new)
    for _ in range(before.gameweeks_ago - 1):
        free = min(most, free + new)
    return free


def account(picks: Sequence[str], situation: Situation) -> Account:
    """What these picks come to; footballers without a price cost nothing (`refusals` refuses them).

    Picks of the very footballers who are saved already change no money, even if prices have moved since.
    """
    limits, before, present, market = situation.limits, situation.before, situation.present, situation.market
    free = free_transfers(before, limits)
    held = dict(zip(before.picks, before.paid, strict=True)) if before else {}
    held.pop("", None)
    transfers = len({one for one in picks if one} - set(held)) if before else 0
    cost = 0 if free is None else max(0, transfers - free) * limits.transfer_cost
    if present and sorted(present.picks) == sorted(picks):
        paid_for = dict(zip(present.picks, present.paid, strict=True))
        return Account(tuple(paid_for[one] for one in picks), present.bank, free, transfers, cost)
    prices = {one.id: one.price for one in market.values()}
    paid = tuple(held.get(one, prices.get(one) or 0) if one else 0 for one in picks)
    bank = before.bank if before else limits.budget
    bank += sum(sale_price(was, prices.get(one)) for one, was in held.items() if one not in picks)
    bank -= sum(price for one, price in dict(zip(picks, paid, strict=True)).items() if one not in held)
    return Account(paid, bank, free, transfers, cost)


def refusals(wanted: Wanted, situation: Situation) -> list[Refusal]:
    """Every reason at once why this team sheet cannot be saved; empty: it can.

    In the order in which a person mends them: time, places one by one, the whole squad, money, captains. Where it is
    too late for any sheet, that alone is said: nothing else could be mended.
    """
    found = list(_of_time(wanted, situation))
    if situation.closed:
        return found
    if len(wanted.picks) != len(situation.format.places):
        count = len(situation.format.places)
        found.append(
            Refusal("count", f"The team sheet has {len(wanted.picks)} places; {situation.format.title} has {count}.")
        )
        return found
    found += _of_places(wanted, situation)
    found += _of_squad(wanted, situation)
    found += _of_money(wanted, situation)
    found += _of_captains(wanted, situation)
    if situation.locks_each:
        found += _of_kickoffs(wanted, situation)
    return found


def placed(picks: Sequence[str], place: int, footballer: str) -> tuple[str, ...]:
    """The picks with this footballer in this place, from 1. If he stands elsewhere, the two change places.

    >>> placed(("a", "b", ""), 3, "c"), placed(("a", "b", ""), 1, "b"), placed(("a", "b", ""), 1, "")
    (('a', 'b', 'c'), ('b', 'a', ''), ('', 'b', ''))
    """
    changed = list(picks)
    if footballer and footballer in changed:
        changed[changed.index(footballer)] = changed[place - 1]
    changed[place - 1] = footballer
    return tuple(changed)


def _of_time(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    if situation.closed:
        yield Refusal("deadline", situation.closed, "deadline")
        return
    saved = situation.present.edition if situation.present else 0
    if wanted.edition is not None and wanted.edition != saved:
        yield Refusal(
            "edition",
            "This team sheet was saved elsewhere meanwhile: load the page again and make your changes there.",
            "edition",
        )


def _of_places(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    seen: dict[str, int] = {}
    kept = set(situation.before.picks) if situation.before else set()
    for place, (slot, one) in enumerate(zip(situation.format.places, wanted.picks, strict=True), start=1):
        where = f"{slot.name} (place {place})"
        if not one:
            yield Refusal("empty", f"{where} is empty: choose {_one_of(slot.accepts)}.", place=place)
            continue
        man = situation.market.get(one)
        if man is None:
            yield Refusal("unknown", f"{where}: there is no footballer {one!r}; choose another.", place=place)
            continue
        if one in seen:
            yield Refusal(
                "twice",
                f"{man.name} is in place {seen[one]} and in place {place}: choose another for one.",
                place=place,
            )
        seen.setdefault(one, place)
        if not man.is_for_sale and one not in kept:
            yield Refusal("market", f"{man.name} is not on this season's market: choose another.", place=place)
        if man.position not in slot.accepts:
            yield Refusal(
                "position", f"{man.name} plays {man.position}; {where} takes {_one_of(slot.accepts)}.", place=place
            )


def _of_squad(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    men = [situation.market[one] for one in dict.fromkeys(wanted.picks) if one in situation.market]
    if all(wanted.picks):  # an empty place says enough of what is missing
        count = Counter(man.position for man in men)
        for position, size in situation.format.squad.items():
            if count[position] != size:
                change = (
                    f"{size - count[position]} more" if count[position] < size else f"{count[position] - size} fewer"
                )
                yield Refusal(
                    "squad", f"The squad has {count[position]} {position}, it needs {size}: take {change}.",
                    is_overridable=True,
                )  # fmt: skip
    limit = situation.limits.club_limit
    clubs = Counter(man.club_id for man in men if man.club_id)
    for club_id, number in clubs.items():
        if number > limit:
            club = next(man.club for man in men if man.club_id == club_id)
            names = ", ".join(man.name for man in men if man.club_id == club_id)
            yield Refusal(
                "club", f"{number} of {club} ({names}), at most {limit} of a club: replace {number - limit}.",
                is_overridable=True,
            )  # fmt: skip


def _of_money(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    bank = account(wanted.picks, situation).bank
    if bank < 0:
        yield Refusal(
            "budget", f"The team costs {money(-bank)} more than you have: choose somebody cheaper.", "budget",
            is_overridable=True,
        )  # fmt: skip


def _of_captains(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    starters = len(situation.format.starters)
    for field, place, word in (
        ("captain", wanted.captain, "captain"),
        ("vice_captain", wanted.vice_captain, "vice-captain"),
    ):
        if place == 0:
            yield Refusal(f"{field}_missing", f"There is no {word}: choose one of the starters.", field)
        elif not 1 <= place <= starters:
            yield Refusal(
                f"{field}_not_starter", f"The {word} has to start: choose one of places 1 to {starters}.", field, place
            )
    if wanted.captain == wanted.vice_captain and 1 <= wanted.captain <= starters:
        yield Refusal(
            "same_captain", "Captain and vice-captain are the same: choose another vice-captain.", "vice_captain",
            wanted.vice_captain,
        )  # fmt: skip


def _of_kickoffs(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    """Who has begun stays where he is, in the team or out of it, captain or not."""
    present = situation.present
    was = present.picks if present else ("",) * len(wanted.picks)
    told: set[str] = set()
    for place, (old, new) in enumerate(zip(was, wanted.picks, strict=True), start=1):
        for one, act in ((old, "leave"), (new, "come into")):
            if old != new and one not in told and _has_begun(one, situation):
                told.add(one)
                yield Refusal(
                    "begun",
                    f"{situation.market[one].name}'s game has begun: he cannot {act} place {place} any more.",
                    place=place,
                )
    old_places = (present.captain, present.vice_captain) if present else (0, 0)
    for field, word, old_place, new_place in (
        ("captain", "captain", old_places[0], wanted.captain),
        ("vice_captain", "vice-captain", old_places[1], wanted.vice_captain),
    ):
        before = was[old_place - 1] if old_place else ""
        after = wanted.picks[new_place - 1] if 1 <= new_place <= len(wanted.picks) else ""
        for one in (before, after) if before != after else ():
            if _has_begun(one, situation):
                yield Refusal(
                    f"{field}_begun",
                    f"{situation.market[one].name}'s game has begun: the {word} can no longer change from or to him.",
                    field,
                    new_place,
                )


def _has_begun(one: str, situation: Situation) -> bool:
    return one in situation.market and situation.market[one].has_begun


def _one_of(positions: tuple[str, ...]) -> str:
    """`QB`, `RB, WR or TE`; long lists in words."""
    if len(positions) > 5:
        return "anybody" if "QB" in positions else "a defensive player"
    return positions[0] if len(positions) == 1 else f"{', '.join(positions[:-1])} or {positions[-1]}"


def closed_words(now: datetime, locks_at: datetime, words: str, earlier: str, later: str) -> str:
    """Why a gameweek takes no team sheet at `now`; empty when it does. `words`: the deadline as people read it.

    Gameweeks are picked one after the other, since each is reckoned from the one before: not while an `earlier` one is
    open, nor when a `later` one is saved already.
    """
    if now >= locks_at:
        return f"The deadline was {words}: this team sheet is locked, what was saved before it counts."
    if earlier:
        return f"{earlier} is still open: save that team sheet; this one opens at its deadline."
    if later:
        return f"Your team sheet for {later} is saved already: change that one."
    return ""

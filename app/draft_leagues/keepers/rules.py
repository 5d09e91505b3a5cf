"""Who may be kept, and what that costs. Pure.

A kept footballer occupies a pick of the next draft, `rounds_earlier` rounds before the one in which
they were drafted. If the franchise has no pick left in that round, because another keeper has it or
because it was traded away, it is the nearest earlier one that the franchise has. In an auction a
kept footballer costs what they cost last time. A dynasty keeps whole rosters, which cost nothing:
it drafts rookies on top of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.refusals import Refusal
from app.draft_leagues.settings import DraftLeagueSettings, KeeperSettings

LEAST_PRICE = 1  # what somebody costs in an auction who was never bought


@dataclass(frozen=True)
class Owned:
    """A footballer on a roster at the end of a season.

    Attributes:
        name: For the sentences.
        round: In which they were drafted, or which they cost as a keeper; None if they came
            later.
        price: Of an auction: what they cost; None if they came later.
        seasons_kept: How many seasons in a row they have been kept so far.
    """

    footballer_id: str
    name: str
    round: int | None = None
    price: int | None = None
    seasons_kept: int = 0


@dataclass(frozen=True)
class Kept:
    """Somebody who stays: the round whose pick they occupy, and in an auction the price.

    In an auction and in a dynasty nobody occupies a pick, and rounds count the kept footballers.
    """

    owned: Owned
    round: int
    price: int = 0


@dataclass(frozen=True)
class Terms:
    """What keepers of one franchise are bound by.

    Attributes:
        rounds: How many rounds the next draft has.
        places: How many footballers a franchise can have at most before the season.
        picks: How many picks the franchise has in each round, after trades.
        budget: Of an auction, for the whole roster; None without an auction.
    """

    settings: KeeperSettings
    rounds: int
    places: int
    picks: Mapping[int, int]
    budget: int | None = None

    @classmethod
    def of(cls, settings: DraftLeagueSettings, picks: Mapping[int, int]) -> Terms:
        """The terms of a franchise that has these picks."""
        roster = settings.roster
        reserve = roster.reserve if settings.keepers.keeps_all else 0
        return cls(
            settings.keepers,
            settings.draft_rounds,
            roster.active + roster.taxi + reserve,
            picks,
            settings.draft.budget if settings.draft.kind == "auction" else None,
        )

    @property
    def most(self) -> int:
        """How many footballers may stay."""
        return self.places if self.settings.keeps_all else min(self.settings.most, self.places)


@dataclass(frozen=True)
class Agreed:
    """Who stays, and why the others whom the franchise chose do not."""

    kept: tuple[Kept, ...]
    refusals: tuple[Refusal, ...]


def has_keepers(settings: KeeperSettings) -> bool:
    """Whether anybody stays with a team from one season to the next."""
    return settings.keeps_all or settings.most > 0


def wished_round(owned: Owned, terms: Terms) -> int:
    """The round that somebody costs if its pick is there; less than 1 if there is none."""
    settings = terms.settings
    if owned.round is None:
        return min(settings.undrafted_round or terms.rounds, terms.rounds)
    return min(owned.round, terms.rounds) - settings.rounds_earlier


def price_of(owned: Owned) -> int:
    """What somebody costs of an auction's budget."""
    return owned.price or LEAST_PRICE


def picks_left(terms: Terms, keepers: Sequence[Kept]) -> dict[int, int]:
    """How many picks of each round are left to draft with besides these keepers."""
    taken = Counter(() if terms.settings.keeps_all else (each.round for each in keepers))
    left = {number: count - taken[number] for number, count in sorted(terms.picks.items())}
    return {number: count for number, count in left.items() if count > 0}


def budget_left(terms: Terms, keepers: Sequence[Kept]) -> int | None:
    """What is left of an auction's budget besides these keepers; None without an auction."""
    return None if terms.budget is None else terms.budget - sum(each.price for each in keepers)


def moved(chosen: Sequence[str], footballer_id: str, places: int) -> list[str]:
    """The choice with somebody so many places further down, or up if less than 0.

    >>> moved(["a", "b", "c"], "c", -1), moved(["a", "b"], "b", 1), moved(["a"], "x", 1)
    (['a', 'c', 'b'], ['a', 'b'], ['a'])
    """
    others = [each for each in chosen if each != footballer_id]
    if footballer_id not in chosen:
        return others
    place = max(0, [*chosen].index(footballer_id) + places)
    return [*others[:place], footballer_id, *others[place:]]


def agreed(chosen: Sequence[Owned], terms: Terms) -> Agreed:
    """Who of the chosen stays, the first choice first.

    Whoever cannot stay together with those before them is refused. The cost of all who stay is then
    that of all together: those who cost early rounds get their picks first.
    """
    accepted: list[Owned] = []
    refusals: list[Refusal] = []
    costs: tuple[Kept, ...] = ()
    for owned in chosen:
        refusal = refusal_of(owned, terms)
        if refusal is None and len(accepted) >= terms.most:
            refusal = _refusal(
                "most",
                f"You can keep at most {terms.most}. {owned.name} is one too many. Release "
                "a player.",
            )
        if refusal is None:
            together = _costs([*accepted, owned], terms)
            if isinstance(together, Refusal):
                refusal = together
            else:
                accepted.append(owned)
                costs = together
        if refusal is not None:
            refusals.append(refusal)
    return Agreed(costs, tuple(refusals))


def refusal_of(owned: Owned, terms: Terms) -> Refusal | None:
    """Why somebody cannot be kept at all, whoever else is."""
    settings = terms.settings
    if settings.keeps_all:
        return None
    limit = settings.most_seasons
    if limit is not None and owned.seasons_kept >= limit:
        seasons = "season" if limit == 1 else f"{limit} seasons in a row"
        return _refusal(
            "most_seasons",
            f"{owned.name} was kept for {seasons}, which is the limit. Choose another player.",
        )
    if terms.budget is None and wished_round(owned, terms) < 1:
        return _refusal(
            "no_round",
            f"{owned.name} cost round {owned.round}, and there is no round "
            f"{settings.rounds_earlier} earlier. Choose another player.",
        )
    return None


def _costs(owned: Sequence[Owned], terms: Terms) -> tuple[Kept, ...] | Refusal:
    """What these cost together, in the order in which they were chosen."""
    if terms.settings.keeps_all:
        return tuple(Kept(each, number) for number, each in enumerate(owned, start=1))
    if terms.budget is not None:
        return _prices(owned, terms, terms.budget)
    left = Counter(dict(terms.picks))
    rounds: dict[str, int] = {}
    for each in sorted(owned, key=lambda footballer: wished_round(footballer, terms)):
        wish = wished_round(each, terms)
        free = [number for number, count in left.items() if count > 0 and number <= wish]
        if not free:
            return _refusal(
                "no_pick",
                f"There is no pick left for {each.name} in round {wish} or earlier. Keep fewer "
                "players or trade for a pick.",
            )
        rounds[each.footballer_id] = max(free)
        left[max(free)] -= 1
    return tuple(Kept(each, rounds[each.footballer_id]) for each in owned)


def _prices(owned: Sequence[Owned], terms: Terms, budget: int) -> tuple[Kept, ...] | Refusal:
    prices = [price_of(each) for each in owned]
    open_places = terms.places - len(owned)
    if sum(prices) + open_places > budget:
        return _refusal(
            "budget",
            f"{owned[-1].name} costs {prices[-1]}, but the budget of {budget} must leave 1 for "
            f"each of {open_places} open spots. Keep a cheaper player.",
        )
    return tuple(
        Kept(each, number, price)
        for number, (each, price) in enumerate(zip(owned, prices, strict=True), start=1)
    )


def _refusal(code: str, sentence: str) -> Refusal:
    return Refusal(code, "keepers", sentence)

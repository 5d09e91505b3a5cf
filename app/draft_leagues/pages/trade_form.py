"""The form of an offer: what it says, and what it shows.

Each gift is a value of the field `gift`: from which franchise, to which, what kind of thing, and
which one, such as `1:2:player:kelce` or `2:3:pick:2027.1.2`. Between two teams it is a tick; of
more teams a list of where it goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import msgspec
from werkzeug.datastructures import MultiDict

from app.core.http.sent_numbers import form_number
from app.core.numbers import MAX_ID, typed_whole, whole_number
from app.core.refusals import Refusal
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.pages.forms import OfferFieldsForm
from app.draft_leagues.trades.effects import Forecast
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import BudgetGift, FootballerGift, PickRange, Terms
from app.fantasy.rosters.rules import PickMove, Rosters

MOST_BUDGET = 10_000
MOST_CHOSEN = 200  # gifts of a form
_PICK = re.compile(
    r"(?P<season>[0-9]{4})\.(?P<round>[0-9]{1,2})\.(?P<original_franchise>[0-9]{1,2})"
)
LONGEST = {"token": 40, "message": 300, "id": 60}


@dataclass(frozen=True)
class Asset:
    """Something that a team could give.

    Attributes:
        key: What it is: the end of a gift's value.
        name: The footballer's name, or the pick in words.
        about: The position and projected points of a footballer.
        to: The franchise that it goes to; 0 if it stays.
    """

    key: str
    name: str
    about: str
    to: int


@dataclass(frozen=True)
class Side:
    """What a team could give in an offer.

    Attributes:
        budget: What is left of its waiver budget; None if the league trades none.
        amounts: How much of it goes to each other team, as it was typed.
    """

    team: Team
    players: Sequence[Asset]
    picks: Sequence[Asset]
    budget: int | None
    amounts: Mapping[int, str]


def players_of(sides: Sequence[Side]) -> set[str]:
    """Every footballer that these teams could give, by id."""
    return {asset.key.removeprefix("player:") for side in sides for asset in side.players}


@dataclass(frozen=True)
class OfferForm:
    """An offer as it was filled in.

    Attributes:
        others: The other teams, by number.
        amounts: The waiver budgets as they were typed, by the names of their fields.
        act: The button that was pressed: teams, preview or send; empty for none.
        refused: What cannot be read.
    """

    mine: int
    others: tuple[int, ...]
    new: NewOffer
    amounts: Mapping[str, str] = field(default_factory=dict)
    act: str = ""
    refused: tuple[Refusal, ...] = ()

    @property
    def parties(self) -> tuple[int, ...]:
        """All teams, whoever makes the offer first."""
        return self.mine, *self.others


def read_form(values: MultiDict[str, str], mine: int, teams: Sequence[Team]) -> OfferForm:
    """What the form says, with refusals of what cannot be read.

    What a team gives or gets that is not part of the offer any more is left out.
    """
    fields = OfferFieldsForm(formdata=values)
    other_numbers = {team.number for team in teams} - {mine}
    chosen_numbers = {whole_number(number) for number in fields.team.data}
    others = tuple(sorted(other_numbers & chosen_numbers))
    parties = (mine, *others)
    amounts = {
        name: values[name]
        for giver, getter in permutations(parties, 2)
        if values.get(name := budget_field(giver, getter), "").strip()
    }
    gifts = [each for each in _gifts(fields.gift.data) if {each[0], each[1]} <= {*parties}]
    footballers = [
        FootballerGift(key, giver, getter) for giver, getter, kind, key in gifts if kind == "player"
    ]
    picks = [_pick(key, giver, getter) for giver, getter, kind, key in gifts if kind == "pick"]
    terms = Terms(
        tuple(footballers),
        tuple(pick for pick in picks if pick is not None),
        tuple(_budgets(amounts, parties)),
    )
    return OfferForm(
        mine,
        others,
        NewOffer(
            terms,
            fields.token.data[: LONGEST["token"]],
            fields.message.data[: LONGEST["message"]],
            tuple(footballer[: LONGEST["id"]] for footballer in fields.drop.data[:MOST_CHOSEN]),
            form_number("counter_to", most=MAX_ID, values=values),
        ),
        amounts,
        fields.act.data,
        tuple(
            Refusal("budget", name, "Enter the waiver budget as a whole number, such as 12.")
            for name, typed in amounts.items()
            if typed_whole(typed, most=MOST_BUDGET) is None
        ),
    )


def _gifts(values: Sequence[str]) -> Iterator[tuple[int, int, str, str]]:
    for value in values[:MOST_CHOSEN]:
        giver, _, remainder = value.partition(":")
        getter, _, remainder = remainder.partition(":")
        kind, _, key = remainder.partition(":")
        numbers = whole_number(giver), whole_number(getter)
        if numbers[0] and numbers[1] and key and len(key) <= LONGEST["id"] and "\x00" not in key:
            yield numbers[0], numbers[1], kind, key


def _pick(key: str, giver: int, getter: int) -> PickMove | None:
    named = _PICK.fullmatch(key)
    if named is None:
        return None
    fields = {"from_franchise": giver, "to_franchise": getter}
    fields |= {name: int(digits) for name, digits in named.groupdict().items()}
    try:
        return msgspec.convert(fields, PickMove)
    except msgspec.ValidationError:
        return None


def _budgets(amounts: Mapping[str, str], parties: Sequence[int]) -> Iterator[BudgetGift]:
    for giver, getter in permutations(parties, 2):
        amount = typed_whole(amounts.get(budget_field(giver, getter)), most=MOST_BUDGET)
        if amount:
            yield BudgetGift(amount, giver, getter)


def budget_field(giver: int, getter: int) -> str:
    """The field of the waiver budget that one team gives another."""
    return f"budget-{giver}-{getter}"


def fields_of(form: OfferForm) -> list[tuple[str, str]]:
    """The form's fields with their values, as they are sent again."""
    terms = form.new.terms
    fields = [("team", str(number)) for number in form.others]
    fields += [
        ("gift", f"{each.from_franchise}:{each.to_franchise}:player:{each.footballer_id}")
        for each in terms.footballers
    ]
    fields += [
        ("gift", f"{each.from_franchise}:{each.to_franchise}:pick:{pick_key(each)}")
        for each in terms.picks
    ]
    fields += [
        (budget_field(each.from_franchise, each.to_franchise), str(each.amount))
        for each in terms.budgets
    ]
    fields += [("drop", each) for each in form.new.drops]
    fields += [("token", form.new.token), ("message", form.new.message)]
    if form.new.counter_to is not None:
        fields.append(("counter_to", str(form.new.counter_to)))
    return fields


def pick_key(pick: PickMove) -> str:
    """A pick as the end of a gift's value."""
    return ".".join(str(number) for number in pick.key)


@dataclass(frozen=True)
class Market:
    """What there is to trade.

    Attributes:
        names: Of footballers.
        picks: Which future picks there are.
        has_budget: Whether waiver budget is traded.
    """

    teams: Sequence[Team]
    rosters: Rosters
    names: Mapping[str, str]
    forecasts: Mapping[str, Forecast]
    picks: PickRange
    has_budget: bool


def sides(form: OfferForm, market: Market) -> list[Side]:
    """What each team of the offer could give, with what it gives."""
    terms = form.new.terms
    going = {each.footballer_id: each.to_franchise for each in terms.footballers}
    picks = {each.key: each.to_franchise for each in terms.picks}
    amounts = {(each.from_franchise, each.to_franchise): each.amount for each in terms.budgets}
    return [
        Side(
            market.teams[number - 1],
            _players(number, going, market),
            _picks(number, picks, market),
            market.rosters.budgets.get(number, 0) if market.has_budget else None,
            {
                other: form.amounts.get(
                    budget_field(number, other), str(amounts.get((number, other), ""))
                )
                for other in form.parties
                if other != number
            },
        )
        for number in form.parties
    ]


def _players(franchise: int, going: Mapping[str, int], market: Market) -> list[Asset]:
    """By projected points, the most first."""
    unknown = Forecast("", 0)
    players = [(market.forecasts.get(each, unknown), each) for each in market.rosters.of(franchise)]
    players.sort(key=lambda pair: (-pair[0].points, pair[1]))
    return [
        Asset(
            f"player:{each}",
            market.names.get(each, each),
            f"{forecast.position}, {forecast.points // 1000} pts".lstrip(", "),
            going.get(each, 0),
        )
        for forecast, each in players
    ]


def _picks(
    franchise: int, going: Mapping[tuple[int, int, int], int], market: Market
) -> list[Asset]:
    owned = [
        (season, round_number, team.number)
        for season, rounds in market.picks.rounds.items()
        for round_number in range(1, rounds + 1)
        for team in market.teams
        if (season, round_number, team.number) in market.picks
        and market.rosters.owner_of_pick((season, round_number, team.number)) == franchise
    ]
    return [
        Asset(
            f"pick:{season}.{round_number}.{original}",
            f"{season}, round {round_number}",
            "" if original == franchise else f"originally {market.teams[original - 1].name}'s",
            going.get((season, round_number, original), 0),
        )
        for season, round_number, original in owned
    ]

"""What an import comes to: who is found, what is wrong, and the acts that make rosters. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from app.core.refusals import Refusal
from app.draft_leagues.importing.values import ImportedGame, ImportedLeague, ImportedPlayer
from app.draft_leagues.name_matching import Known, Matcher
from app.fantasy.rosters.rules import BudgetMove, Move, PickMove, Transaction

REASON = "Taken over when the league moved here"


@dataclass(frozen=True)
class Doubt:
    """A footballer of the files who is not found. `suggestions`: who may be meant."""

    team: str
    player: ImportedPlayer
    suggestions: tuple[Known, ...]


@dataclass(frozen=True)
class Matched:
    """Whom the files mean.

    `ids`: footballers of the record by the key of the file; `doubts`: the others, in order.
    """

    ids: Mapping[str, str]
    doubts: Sequence[Doubt]


def match_players(
    league: ImportedLeague, known: Iterable[Known], choices: Mapping[str, str]
) -> Matched:
    """Find everybody on the rosters.

    Args:
        league: The league of the files.
        known: Everybody on the season's market.
        choices: The footballer whom somebody chose, by the key of the file; '' to leave them out.
    """
    listed = list(known)
    matcher = Matcher(listed)
    on_market = {each.id for each in listed}
    ids: dict[str, str] = {}
    doubts = []
    for team in league.teams:
        for player in team.players:
            if player.key in choices:
                if choices[player.key] in on_market:
                    ids[player.key] = choices[player.key]
                continue
            match = matcher.match(player.named)
            if match.footballer is None:
                doubts.append(Doubt(team.name, player, match.suggestions))
            else:
                ids[player.key] = match.footballer.id
    return Matched(ids, doubts)


def import_faults(league: ImportedLeague, ids: Mapping[str, str]) -> list[Refusal]:
    """What makes the league impossible here, with remedies."""
    names = Counter(team.key for team in league.teams)
    refused = [
        Refusal("team_twice", "", f"Two teams are called {key}. Give each a name of its own.")
        for key, count in names.items()
        if count > 1
    ]
    named = {player.key: player.name for team in league.teams for player in team.players}
    places = Counter(
        ids[player.key] for team in league.teams for player in team.players if player.key in ids
    )
    for key, name in named.items():
        footballer = ids.get(key)
        if footballer and places[footballer] > 1:
            places[footballer] = 0  # once is enough
            refused.append(
                Refusal("player_twice", "", f"{name} is on two rosters. Leave one of them out.")
            )
    return [*refused, *_game_faults(league.games)]


def _game_faults(games: Sequence[ImportedGame]) -> list[Refusal]:
    sides = Counter(
        (game.week, side) for game in games for side in (game.home, game.away) if side is not None
    )
    return [
        Refusal("game_twice", "", f"{side} plays twice in week {week}. Correct the results.")
        for (week, side), count in sides.items()
        if count > 1
    ]


def roster_acts(
    league: ImportedLeague, ids: Mapping[str, str], numbers: Mapping[str, int], by_member_id: int
) -> list[Transaction]:
    """The commissioner's acts that make the rosters, budgets and picks of the files.

    `numbers`: franchises by the keys of their teams.
    """
    bids = league.settings.waivers.kind == "blind_bids"
    acts = []
    for team in league.teams:
        number = numbers[team.key]
        moves = tuple(
            Move(ids[player.key], None, number, player.spot)
            for player in team.players
            if player.key in ids
        )
        used = min(team.budget_used, league.settings.waivers.budget) if bids else 0
        budgets = (BudgetMove(number, -used),) if used else ()
        if moves or budgets:
            acts.append(
                Transaction(
                    "commissioner",
                    moves,
                    budgets,
                    by_member_id=by_member_id,
                    reason=REASON,
                    source=f"import:{number}",
                )
            )
    picks = tuple(
        PickMove(
            pick.season,
            pick.round,
            numbers[pick.original],
            numbers[pick.original],
            numbers[pick.owner],
        )
        for pick in league.picks
        if pick.original in numbers and pick.owner in numbers
    )
    if picks:
        acts.append(
            Transaction(
                "commissioner",
                picks=picks,
                by_member_id=by_member_id,
                reason=REASON,
                source="import:picks",
            )
        )
    return acts


def with_room(league: ImportedLeague, ids: Mapping[str, str]) -> ImportedLeague:
    """The league with benches, reserves and taxi squads that hold every imported roster."""
    roster = league.settings.roster
    most = Counter[str]()
    for team in league.teams:
        spots = Counter(player.spot for player in team.players if player.key in ids)
        for spot, count in spots.items():
            most[spot] = max(most[spot], count)
    fitted = replace(
        roster,
        bench=max(roster.bench, most["active"] - roster.starter_count),
        reserve=max(roster.reserve, most["reserve"]),
        taxi=max(roster.taxi, most["taxi"]),
    )
    return replace(league, settings=replace(league.settings, roster=fitted))

"""Ranks any list of players on a board: a guild, a party, a lobby, friends of another service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from app.api.leaderboards import (
    NO_BOARD,
    TAG,
    Entry,
    Freshness,
    freshness,
    image_of,
    reading_of,
)
from app.api.mode_fields import Counted, OrderField, counted
from app.api.operations import POST, Limits, operation
from app.api.shapes import BoardPath, points
from app.boards.groups.player_list import MOST_PLAYERS, Listed, player_list
from app.boards.order import Best
from app.boards.player_names import display_names
from app.boards.rules import Ties
from app.boards.services import Reading
from app.scores.standings import metadata


class PlayersWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The players to rank."""

    player_ids: Annotated[
        list[UUID],
        Meta(
            min_length=1,
            max_length=MOST_PLAYERS,
            description="The players, in any order. Duplicates count once.",
        ),
    ]


class ListedEntry(Entry, frozen=True, kw_only=True):
    """A player of the list: `rank` on the whole board, `rank_among` within the list."""

    rank_among: Annotated[
        int,
        Meta(
            description=(
                "The rank among the listed players with a score, starting at 1. Ties "
                "follow the mode's `ties`."
            )
        ),
    ]


class PlayersBody(Freshness, frozen=True, kw_only=True):
    """The listed players: those with a score in the board's order, and those without one."""

    window_id: str
    aggregation: Counted
    ties: Ties
    order: OrderField
    entries: Sequence[ListedEntry]
    unranked: Annotated[
        Sequence[UUID],
        Meta(
            description=(
                "Players without a score here and unknown players, in the order of the request."
            )
        ),
    ]
    total_ranked: Annotated[int, Meta(description="The number of players on the whole board.")]


@operation(
    POST,
    "/v1/games/{game}/modes/{mode}/leaderboards/{window}/players",
    tag=TAG,
    answers={200: PlayersBody},
    problems=NO_BOARD,
    limits=Limits(address="120 per minute"),
)
def rank_players(path: BoardPath, body: PlayersWanted) -> PlayersBody:
    """Rank up to 500 players, on the whole board and among themselves.

    Nothing is changed or stored. The response is in the board's order, with each player once. Equal
    scores rank according to the mode's `ties`, on the board and within the list.
    """
    reading = reading_of(path)
    entries = listed_entries(reading, player_list(reading, body.player_ids))
    ranked = {entry.player_id for entry in entries}
    return PlayersBody(
        window_id=reading.window.window_id,
        aggregation=counted(reading.mode),
        ties=Ties(reading.mode.ties),
        order=Best(reading.mode.order),
        entries=entries,
        unranked=[
            player_id for player_id in dict.fromkeys(body.player_ids) if player_id not in ranked
        ],
        total_ranked=reading.board.count(),
        **freshness(reading),
    )


def listed_entries(reading: Reading, listed: Sequence[Listed]) -> list[ListedEntry]:
    """The rows in the same order, with the names to show."""
    names = display_names(reading, {row.standing.member for row in listed}, {})
    carried = metadata.of_rows(reading, [row.standing for row in listed])
    return [
        ListedEntry(
            rank=row.standing.rank,
            player_id=UUID(row.standing.member),
            display_name=names[row.standing.member],
            image=image_of(row.standing.member),
            score=points(row.standing.score, reading.mode.decimals),
            subscore=row.standing.subscore,
            metadata=carried.get(row.standing.member),
            rank_among=row.rank_among,
        )
        for row in listed
    ]

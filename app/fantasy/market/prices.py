"""Prices and select % of a season's market, recomputed once after each deadline.

Net transfers are how many team sheets of the gameweek have a footballer whom their last ones did
not have, minus those that sold them. First sheets and sheets that were carried over count only for
select %. From net transfers of 2, 6 and 12 % of all sheets on, the price moves by 0.1, 0.2 and 0.3,
but never by more tenths than half the net transfers, so that in a small season one gamer moves
nothing. It stays between half and twice the starting price. Source: the rules of Fantasy Premier
League (prices follow transfers, by at most 0.3 per gameweek).

Only the caller commits. What buying and selling costs a gamer is in sheets/transfers.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import text

from app.core.db import db

STEPS = ((120, 3), (60, 2), (20, 1))  # thousandths of the sheets, tenths of a million


@dataclass(frozen=True)
class Quote:
    """A footballer's price in tenths of a million, and share of the team sheets in thousandths."""

    footballer_id: str
    price: int
    selected: int


def price_change(net_transfers: int, sheets: int) -> int:
    """By how many tenths of a million the price moves.

    >>> [price_change(net, 1000) for net in (19, 20, -60, 500)]
    [0, 1, -2, 3]
    >>> price_change(1, 12), price_change(-4, 12)
    (0, -2)
    """
    size = abs(net_transfers)
    step = next((tenths for share, tenths in STEPS if size * 1000 >= share * sheets), 0)
    step = min(step, size // 2)
    return step if net_transfers > 0 else -step


def new_price(price: int, start_price: int, net_transfers: int, sheets: int) -> int:
    """The price after these transfers, between half and twice the start price.

    >>> new_price(50, 50, 900, 1000), new_price(100, 50, 900, 1000)
    (53, 100)
    >>> new_price(26, 50, -900, 1000)
    25
    """
    moved = price + price_change(net_transfers, sheets)
    return max(start_price - start_price // 2, min(2 * start_price, moved))


def recompute(gameweek_id: int) -> int:
    """Set price and select % of the season's market by the gameweek's team sheets.

    Both are recorded for everybody on the market. Call it once per gameweek, as lock_gameweek does,
    because another call moves prices again.

    Returns:
        How many footballers changed.
    """
    changed = _move(gameweek_id)
    db.session.execute(_NOTE, {"gameweek_id": gameweek_id})
    return changed


def _move(gameweek_id: int) -> int:
    key = {"gameweek_id": gameweek_id}
    sheets = (
        db.session.scalar(
            text("""
                SELECT count(*) FROM team_sheets s JOIN team_rules r ON r.id = s.team_rules_id
                WHERE s.gameweek_id = :gameweek_id AND NOT r.is_own
            """),
            key,
        )
        or 0
    )
    if not sheets:
        return 0
    changed = [
        Quote(row.footballer_id, price, selected)
        for row in db.session.execute(_DEMAND, key)
        for price in (new_price(row.price, row.start_price, row.net, sheets),)
        for selected in ((1000 * row.owners + sheets // 2) // sheets,)
        if (price, selected) != (row.price, row.selected)
    ]
    _write(gameweek_id, changed)
    return len(changed)


def _write(gameweek_id: int, quotes: Sequence[Quote]) -> None:
    db.session.execute(
        text("""
            UPDATE footballer_seasons m SET price = q.price, selected = q.selected
            FROM unnest(CAST(:ids AS text[]), CAST(:prices AS int[]), CAST(:selected AS int[]))
              AS q (footballer_id, price, selected), gameweeks w
            WHERE w.id = :gameweek_id AND m.season_id = w.season_id
              AND m.footballer_id = q.footballer_id
        """),
        {
            "gameweek_id": gameweek_id,
            "ids": [quote.footballer_id for quote in quotes],
            "prices": [quote.price for quote in quotes],
            "selected": [quote.selected for quote in quotes],
        },
    )


_NOTE = text("""
    INSERT INTO footballer_weeks (footballer_id, gameweek_id, price, selected)
    SELECT m.footballer_id, w.id, m.price, m.selected
    FROM footballer_seasons m JOIN gameweeks w ON w.season_id = m.season_id AND w.id = :gameweek_id
    ON CONFLICT DO NOTHING
""")

# A footballer who stays adds one and subtracts one. Sheets without a transfer need no comparison
# with the one before. Line-ups of draft leagues say nothing about demand.
_DEMAND = text("""
    WITH moved AS (
      SELECT s.picks AS came, b.picks AS were
      FROM team_sheets s JOIN gameweeks w ON w.id = s.gameweek_id
      JOIN LATERAL (
        SELECT e.picks FROM team_sheets e JOIN gameweeks v ON v.id = e.gameweek_id
        WHERE e.member_id = s.member_id AND e.team_rules_id = s.team_rules_id
          AND v.season_id = w.season_id
          AND v.week < w.week ORDER BY v.week DESC LIMIT 1
      ) b ON true
      WHERE s.gameweek_id = :gameweek_id AND s.transfers > 0
    ), demand AS (
      SELECT one, sum(owners) AS owners, sum(net) AS net FROM (
        SELECT unnest(s.picks) AS one, 1 AS owners, 0 AS net
          FROM team_sheets s JOIN team_rules r ON r.id = s.team_rules_id
          WHERE s.gameweek_id = :gameweek_id AND NOT r.is_own
        UNION ALL SELECT unnest(came), 0, 1 FROM moved
        UNION ALL SELECT unnest(were), 0, -1 FROM moved
      ) AS each GROUP BY one
    )
    SELECT m.footballer_id, m.price, m.start_price, m.selected,
           CAST(coalesce(d.owners, 0) AS int) AS owners, CAST(coalesce(d.net, 0) AS int) AS net
    FROM footballer_seasons m JOIN gameweeks w ON w.season_id = m.season_id AND w.id = :gameweek_id
    LEFT JOIN demand d ON d.one = m.footballer_id
    ORDER BY m.footballer_id
""")

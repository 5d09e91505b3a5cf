"""The table of a live window, as it is read before settlement."""

from __future__ import annotations

from app.competitions import queries
from app.competitions.models import CompetitionWindow
from app.core.db import db
from tests.worlds.competitions import Arena


def test_a_live_table_parts_equal_scores_by_the_subscore_as_settlement_will(arena: Arena) -> None:
    arena.make_mode(
        order="lowest", subscore={"min": 0, "max": 99, "order": "highest", "title": "Stars"}
    )
    cup = arena.live()
    ann, bob, dan = arena.players("ann", "bob", "dan")
    for player, seconds, stars in ((dan, 90, 99), (bob, 60, 3), (ann, 60, 4)):
        arena.join(cup, player, 1)
        arena.score(player, seconds, arena.at(1), subscore=stars)
    window = db.session.query(CompetitionWindow).filter_by(competition_id=cup.id, number=1).one()
    assert [(row.player_id, row.rank, row.score) for row in queries.table(cup, window, 1, 1)] == [
        (ann, 1, 60),
        (bob, 2, 60),
        (dan, 3, 90),
    ]

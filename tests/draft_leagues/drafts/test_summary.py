"""What a team is told when its draft is over."""

from __future__ import annotations

from dataclasses import replace

from app.draft_leagues.drafts import events
from app.draft_leagues.drafts.events import Event
from app.draft_leagues.drafts.ranked import Pool
from app.draft_leagues.drafts.rules import Draft, fold
from app.draft_leagues.drafts.summary import BestPick, DraftSummary, summary_of
from tests.draft_leagues.drafts.plans import START, make_plan, make_pool

POOL = Pool(
    [replace(each, rank=rank) for rank, each in enumerate(make_pool().footballers, start=1)]
)


def drafted(*footballers: str) -> Draft:
    """A snake draft of three franchises that picked these footballers in turn."""
    plan = make_plan()
    happened: list[Event] = [events.Started(START)]
    for number, footballer in enumerate(footballers, start=1):
        owner = (1, 2, 3, 3, 2, 1)[number - 1]
        happened.append(events.Picked(START, number, owner, footballer))
    return fold(plan, happened)


def sold(*sales: tuple[int, str, int]) -> Draft:
    """An auction in which these franchises bought these footballers for so much."""
    happened: list[Event] = [events.Started(START)]
    for franchise, footballer, price in sales:
        happened += [
            events.Nominated(START, franchise, footballer, price),
            events.Sold(START, franchise, footballer, price),
        ]
    return fold(make_plan(kind="auction", budget=50), happened)


def best_picks(draft: Draft) -> list[tuple[str, str, int] | None]:
    bests: list[BestPick | None] = [summary_of(draft, POOL, each).best for each in (1, 2, 3)]
    return [best and (best.footballer.id, best.label, best.gain) for best in bests]


def test_teams_are_compared_by_the_points_of_their_starters() -> None:
    draft = drafted("RB3", "RB1", "RB2", "QB1", "QB2", "RB4")
    summaries = [summary_of(draft, POOL, franchise) for franchise in (1, 2, 3)]
    points = POOL.by_id["RB3"].points  # the fourth running back is on the bench
    assert summaries[0] == DraftSummary(points, "3rd", 3, None)
    assert [summary.place for summary in summaries[1:]] == ["1st", "2nd"]


def test_the_best_pick_is_the_one_that_was_made_the_furthest_after_its_rank() -> None:
    assert best_picks(drafted("RB3", "RB2", "RB1")) == [None, None, ("RB1", "1.03", 2)]


def test_in_an_auction_it_is_the_one_that_was_cheap() -> None:
    draft = sold((1, "RB3", 20), (2, "RB2", 9), (3, "RB1", 4))
    assert best_picks(draft) == [None, None, ("RB1", "4", 2)]

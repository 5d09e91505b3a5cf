"""The fold of a draft's events, and what members and the commissioner may do."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.draft_leagues.drafts import acts, events
from app.draft_leagues.drafts.acts import Wish
from app.draft_leagues.drafts.automatic import Helper
from app.draft_leagues.drafts.events import Event, body_of, event_of
from app.draft_leagues.drafts.plan import DraftPlan, Keeper, TradedPick
from app.draft_leagues.drafts.rules import Draft, fold
from app.draft_leagues.drafts.settling import GRACE, OUTAGE, Settling, due_at, next_event
from tests.draft_leagues.drafts.plans import START, make_plan, make_pool, seconds


def started(plan: DraftPlan | None = None, *happened: Event) -> Draft:
    return fold(plan or make_plan(), [events.Started(START), *happened])


def picked(number: int, franchise: int, footballer: str, after: float = 1) -> events.Picked:
    return events.Picked(START + seconds(after), number, franchise, footballer)


def code(draft: Draft, franchise: int, footballer: str, after: float = 2) -> str | None:
    position = "".join(filter(str.isalpha, footballer)) or None
    wish = Wish(franchise, footballer, position)
    refusal = acts.pick_refusal(draft, wish, START + seconds(after))
    return refusal.code if refusal else None


def test_the_turn_passes_and_the_clock_starts_again() -> None:
    draft = started(None, picked(1, 1, "RB1", 20))
    assert (draft.on_turn, draft.expected, draft.deadline) == (2, 2, START + seconds(80))


def test_what_is_refused_and_why() -> None:
    draft = started(None, picked(1, 1, "RB1"))
    assert code(draft, 2, "RB2") is None
    assert code(draft, 3, "RB2") == "not_your_turn"
    assert code(draft, 2, "RB1") == "taken"
    assert code(draft, 2, "P1") == "no_place"
    assert code(fold(make_plan(), []), 1, "RB1") == "not_running"
    stale = acts.pick_refusal(draft, Wish(2, "RB2", "RB", expected=1), START + seconds(2))
    assert stale == acts.MOVED_ON


def test_a_pick_in_the_last_millisecond_counts_and_one_at_the_deadline_does_not() -> None:
    draft = started()
    assert code(draft, 1, "RB1", 59.999) is None
    assert code(draft, 1, "RB1", 60) == "time_over"


def test_time_during_a_pause_does_not_count() -> None:
    draft = started(None, events.Paused(START + seconds(20)), events.Resumed(START + seconds(500)))
    assert draft.deadline == START + seconds(540)


def test_an_undone_pick_frees_the_footballer_and_restarts_the_clock() -> None:
    draft = started(None, picked(1, 1, "RB1"), picked(2, 2, "RB2"))
    draft.apply(events.Undone(START + seconds(30)))
    assert (draft.on_turn, draft.taken, draft.deadline) == (2, {"RB1": 1}, START + seconds(90))
    draft.apply(events.Undone(START + seconds(31)))
    assert (draft.on_turn, draft.taken) == (1, {})
    assert acts.undo_refusal(draft) == acts.NOTHING_TO_UNDO


def test_a_replaced_footballer_is_free_again() -> None:
    draft = started(None, picked(1, 1, "RB1"))
    draft.apply(events.Replaced(START + seconds(5), 1, "WR1"))
    assert draft.taken == {"WR1": 1}
    assert [pick.footballer_id for pick in draft.roster(1)] == ["WR1"]


def test_keepers_are_there_from_the_beginning_and_their_picks_are_passed_over() -> None:
    draft = started(make_plan(keepers=(Keeper(1, "RB1", 1),)))
    assert (draft.on_turn, draft.expected, draft.taken) == (2, 2, {"RB1": 1})


def test_a_full_franchise_is_passed_over() -> None:
    plan = make_plan(rounds=2, places=2, traded=(TradedPick(1, 2, 1), TradedPick(2, 2, 1)))
    draft = started(plan, picked(1, 1, "RB1"), picked(2, 1, "RB2"), picked(3, 3, "RB3"))
    assert [slot.owner for slot in draft.coming(9)] == [3]


def test_two_missed_clocks_in_a_row_turn_the_autopilot_on_and_a_pick_turns_it_off() -> None:
    def missed(number: int, franchise: int) -> events.Picked:
        return events.Picked(START, number, franchise, f"RB{number}", "automatic")

    plan = make_plan(order=(1, 2), rounds=4, places=4)
    draft = started(plan, missed(1, 1), picked(2, 2, "QB1"), picked(3, 2, "QB2"), missed(4, 1))
    assert set(draft.autopilots) == {1}
    draft.apply(picked(5, 1, "QB3"))
    assert not draft.autopilots


def test_events_survive_storage() -> None:
    happened: list[Event] = [
        events.Started(START),
        picked(1, 1, "RB1"),
        events.Nominated(START, 1, "RB1", 3),
        events.Bid(START, 2, 4, "automatic"),
        events.Sold(START, 2, "RB1", 4),
        events.Autopilot(START, 1, True),
        events.Replaced(START, 1, "RB1"),
    ]
    assert [event_of(body_of(event)) for event in happened] == happened


def run_out(draft: Draft, rounds: int = 200) -> list[Event]:
    """Let the clock decide everything."""
    settling = Settling(draft, make_pool(), lambda _: Helper(is_bot=False))
    decided = []
    for _ in range(rounds):
        due = due_at(draft)
        event = next_event(settling, due) if due else None
        if event is None:
            break
        draft.apply(event)
        decided.append(event)
    return decided


def test_a_draft_that_everybody_sleeps_through_ends_with_whole_line_ups() -> None:
    draft = started()
    run_out(draft)
    assert draft.status == "completed"
    pool = make_pool()
    for franchise in draft.plan.order:
        positions = {pool.position_of(pick.footballer_id) for pick in draft.roster(franchise)}
        assert positions == {"QB", "RB", "WR", "K"}


@pytest.mark.parametrize("bots", [(1, 2, 3), ()])
def test_an_auction_that_everybody_sleeps_through_ends_within_all_budgets(
    bots: tuple[int, ...],
) -> None:
    plan = make_plan(kind="auction", budget=30, autopilots=bots, seconds_per_bid=10)
    draft = started(plan)
    run_out(draft, 500)
    assert draft.status == "completed"
    for franchise in plan.order:
        assert len(draft.roster(franchise)) == plan.places
        assert draft.budget(franchise) >= 0


def test_a_clock_that_ran_out_while_the_server_was_away_starts_again_once() -> None:
    draft = started()
    settling = Settling(draft, make_pool(), lambda _: Helper())
    back = START + seconds(60) + GRACE + OUTAGE + seconds(1)
    event = next_event(settling, back)
    assert event == events.Delayed(back)
    draft.apply(event)
    assert draft.deadline == back + seconds(60)
    later = next_event(settling, back + seconds(60) + GRACE + OUTAGE + seconds(1))
    assert isinstance(later, events.Picked)


class PlainDraft:
    """A snake draft, written down as people would on paper."""

    def __init__(self, franchises: int, rounds: int) -> None:
        self.turns: list[int] = []
        for number in range(rounds):
            line = list(range(1, franchises + 1))
            self.turns += line[::-1] if number % 2 else line
        self.sheet: list[str | None] = []

    def pick(self, footballer: str) -> None:
        self.sheet.append(footballer)

    @property
    def on_turn(self) -> int | None:
        return self.turns[len(self.sheet)] if len(self.sheet) < len(self.turns) else None


@given(st.integers(2, 5), st.integers(1, 4), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_any_history_equals_the_plain_draft(franchises: int, rounds: int, seed: int) -> None:
    luck = random.Random(seed)  # noqa: S311 (an example, not a secret)
    plan = make_plan(order=tuple(range(1, franchises + 1)), rounds=rounds, places=rounds)
    draft, plain = started(plan), PlainDraft(franchises, rounds)
    pool = [f"RB{number}" for number in range(40)]
    for moment in range(25):
        at = START + seconds(moment)
        act = luck.choice(["pick", "pick", "pick", "undo", "replace", "pause"])
        if act == "pick" and plain.on_turn is not None:
            free = [each for each in pool if each not in plain.sheet]
            footballer = luck.choice(free)
            draft.apply(events.Picked(at, draft.expected, plain.on_turn, footballer))
            plain.pick(footballer)
        elif act == "undo" and plain.sheet:
            draft.apply(events.Undone(at))
            plain.sheet.pop()
        elif act == "replace" and plain.sheet:
            place = luck.randrange(len(plain.sheet))
            footballer = luck.choice([each for each in pool if each not in plain.sheet])
            draft.apply(events.Replaced(at, place + 1, footballer))
            plain.sheet[place] = footballer
        elif act == "pause":
            draft.apply(events.Paused(at))
            draft.apply(events.Resumed(at))
        assert draft.on_turn == plain.on_turn
        assert [draft.picks[n + 1].footballer_id for n in range(len(plain.sheet))] == plain.sheet
        assert set(draft.taken) == set(plain.sheet)

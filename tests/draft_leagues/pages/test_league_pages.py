"""Pages that draft leagues share with the salary-cap game speak of no captains and no money."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.market.formats import format_named
from app.fantasy.sheets.best_lineup import SquadPlayer, best_lineup
from tests.draft_leagues.test_corrected_lineups import benched
from tests.worlds.draft_leagues import DraftWorld

__all__ = ["benched"]


@pytest.mark.parametrize("page", ["rules", "how-to-play", "history/1", "matchups", "recap/1"])
def test_shared_pages_speak_of_no_captains_and_no_money(
    page: str, drafted: DraftWorld, benched: str, sign_in: Callable[..., FlaskClient]
) -> None:
    answer = sign_in(username="ann").get(
        f"/leagues/{drafted.league.slug}/{page}", follow_redirects=True
    )
    assert answer.status_code == 200
    for absent in ("aptain", "armband", "million", "Transfers", "What if", "substitutes"):
        assert absent not in answer.text


def test_the_team_page_has_a_bench(
    drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    gameweek = drafted.gameweek(1)
    lock_gameweek(gameweek.id, gameweek.deadline)
    path = f"/leagues/{drafted.league.slug}/teams/{drafted.members[1]}?week=1"
    page = sign_in(username="ann").get(path).text
    assert "Total" in page
    assert "Captain" not in page
    assert "Substitutes" not in page


def test_the_best_lineup_of_a_draft_league_doubles_nobody() -> None:
    squad = [SquadPlayer("q", "QB", 20_000), SquadPlayer("r", "RB", 5000)]
    best = best_lineup(format_named("draft:QB1,RB1,BN2"), squad)
    assert (best.points, best.captain) == (25_000, "")

"""Tournaments. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from ..calls import Calls, Json, part


class Tournaments(Calls):
    def list_tournaments(self) -> Json:
        """Every tournament with its rounds."""
        return self._call("GET", "/api/v2/tournaments")

    def get_tournament_leaderboard(self, tournament_id: str) -> Json:
        """The members by points, with dense ranks; the first 10,000 of a larger tournament."""
        return self._call("GET", f"/api/v2/tournaments/{part(tournament_id)}/leaderboard")

    def get_round_matches(self, tournament_id: str, round_slug: str) -> Json:
        """The matches of a round."""
        return self._call("GET", f"/api/v2/tournaments/{part(tournament_id)}/matches/{part(round_slug)}")

    def get_tournament_standings(self, tournament_id: str) -> Json:
        """The table of the teams."""
        return self._call("GET", f"/api/v2/tournaments/{part(tournament_id)}/standings")

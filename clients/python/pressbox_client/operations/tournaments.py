"""Tournaments. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from ..calls import Calls, Json, part


class Tournaments(Calls):
    """Operations of the tag Tournaments."""

    def list_tournaments(self) -> Json:
        """List the tournaments with their rounds."""
        return self._call("GET", "/api/v2/tournaments")

    def get_tournament_leaderboard(self, tournament_id: str, *, offset: int | None = None) -> Json:
        """Rank the members by points, with dense ranks.

        A response has at most 10,000 rows. If there may be more, a `Link` header with
        `rel="next"` has the URL of the next page.
        """
        return self._call(
            "GET",
            f"/api/v2/tournaments/{part(tournament_id)}/leaderboard",
            query={"offset": offset},
        )

    def get_round_matches(self, tournament_id: str, round_slug: str) -> Json:
        """List the matches of a round."""
        return self._call(
            "GET", f"/api/v2/tournaments/{part(tournament_id)}/matches/{part(round_slug)}"
        )

    def get_tournament_standings(self, tournament_id: str) -> Json:
        """Read the standings of the teams."""
        return self._call("GET", f"/api/v2/tournaments/{part(tournament_id)}/standings")

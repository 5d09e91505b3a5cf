"""Box scores. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from ..calls import Calls, Json, part


class BoxScores(Calls):
    """Operations of the tag Box scores."""

    def get_box_score(self, game_id: str, *, at: str | None = None) -> Json:
        """Read the box score of a football game.

        It changes with every play during the game, and with corrections afterwards.

        At most 240 per minute per address.
        """
        return self._call("GET", f"/api/v1/games/{part(game_id)}/box-score", query={"at": at})

"""Players and tokens. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from ..calls import Calls, Json, part


class PlayersAndTokens(Calls):
    def register_player(self, game: str, *, external_id: str, display_name: str) -> Json:
        """Register a player, or rename one.

        201 for a new player; 200 for one that the integrator registered before, in this game or another: they keep
        their `player_id` and gets the new name.

        At most 6000 per minute per caller.
        """
        return self._call(
            "POST", f"/v1/games/{part(game)}/players", body={"external_id": external_id, "display_name": display_name}
        )

    def create_token(self, *, player_id: str) -> Json:
        """Get tokens for a player of the integrator.

        The integrator's server hands them to its player, who then sends their own scores.

        At most 6000 per minute per caller.
        """
        return self._call("POST", "/v1/tokens", body={"player_id": player_id})

    def refresh_token(self, *, refresh_token: str) -> Json:
        """Change a refresh token for the next pair.

        Each is good for one use. A second use ends all tokens that came from the same first one.

        At most 60 per minute per address.

        Sent once only, whatever is answered.
        """
        return self._call("POST", "/v1/tokens/refresh", body={"refresh_token": refresh_token}, tries=1)

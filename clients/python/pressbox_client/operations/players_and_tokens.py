"""Players and tokens. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from ..calls import Calls, Json, part


class PlayersAndTokens(Calls):
    """Operations of the tag Players and tokens."""

    def register_player(self, game: str, *, external_id: str, display_name: str) -> Json:
        """Register or rename a player.

        Returns 201 for a new player, and 200 for one that the integrator registered before, in
        this game or another. They keep their `player_id` and get the new name, which boards
        show right away. A name that a moderator set stays until a moderator clears it.
        `display_name` in the response is what boards show.

        At most 6000 per minute per caller.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/players",
            body={"external_id": external_id, "display_name": display_name},
        )

    def list_players(
        self, *, external_id: str | None = None, after: str | None = None, limit: int | None = None
    ) -> Json:
        """List the integrator's players in all its games, except erased ones.

        At most 60 per minute per caller.
        """
        return self._call(
            "GET", "/v1/players", query={"external_id": external_id, "after": after, "limit": limit}
        )

    def get_player(self, player_id: str) -> Json:
        """Read a player of the integrator."""
        return self._call("GET", f"/v1/players/{part(player_id)}")

    def erase_player(self, player_id: str, *, external_id: str) -> Json:
        """Permanently erase a player, at that person's request.

        Name, external id, fingerprints, metadata, friends and tokens are deleted. Scores stay
        anonymously, because other players' places depend on them. No more scores of the player
        are accepted; the same `external_id` registers a new one.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST", f"/v1/players/{part(player_id)}/erasure", body={"external_id": external_id}
        )

    def export_player(self, player_id: str) -> Json:
        """Export everything stored about a player, at that person's request.

        Includes scores and the data sent with them, places on boards, friends, guilds and
        competitions. It leaves out secrets and what others wrote about the player.

        At most 60 per minute per caller.
        """
        return self._call("GET", f"/v1/players/{part(player_id)}/export")

    def create_token(self, *, player_id: str) -> Json:
        """Get tokens for a player of the integrator.

        The integrator's server passes them to the player, who then sends their own scores.

        At most 6000 per minute per caller.
        """
        return self._call("POST", "/v1/tokens", body={"player_id": player_id})

    def refresh_token(self, *, refresh_token: str) -> Json:
        """Exchange a refresh token for the next pair of tokens.

        Each refresh token can be used once. A second use revokes all tokens that come from the
        same original one.

        At most 60 per minute per address.

        Sent once only, whatever is answered.
        """
        return self._call(
            "POST", "/v1/tokens/refresh", body={"refresh_token": refresh_token}, tries=1
        )

"""Friends. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from ..calls import Calls, Json, part


class Friends(Calls):
    """Operations of the tag Friends."""

    def unblock_player(self, player_id: str, other_id: str) -> Json:
        """Unblock a player.

        At most 60 per minute per caller.
        """
        return self._call("DELETE", f"/v1/players/{part(player_id)}/blocks/{part(other_id)}")

    def block_player(self, player_id: str, other_id: str) -> Json:
        """Block a player. They are not notified.

        At most 60 per minute per caller.
        """
        return self._call("PUT", f"/v1/players/{part(player_id)}/blocks/{part(other_id)}")

    def list_friends(self, player_id: str) -> Json:
        """List the player's friends, requests and blocks.

        At most 120 per minute per caller.
        """
        return self._call("GET", f"/v1/players/{part(player_id)}/friends")

    def read_friends_board(
        self,
        player_id: str,
        window: str,
        *,
        game: str,
        mode: str,
        offset: int | None = None,
        limit: int | None = None,
    ) -> Json:
        """Read a board of a player and their friends.

        Groups of up to 200 are read live. Larger groups are cached for about a minute
        (`as_of`).

        At most 120 per minute per caller.
        """
        return self._call(
            "GET",
            f"/v1/players/{part(player_id)}/friends/leaderboards/{part(window)}",
            query={"game": game, "mode": mode, "offset": offset, "limit": limit},
        )

    def withdraw_request(self, player_id: str, other_id: str) -> Json:
        """Withdraw a friend request.

        At most 60 per minute per caller.
        """
        return self._call(
            "DELETE", f"/v1/players/{part(player_id)}/friends/requests/{part(other_id)}"
        )

    def ask_friend(self, player_id: str, other_id: str) -> Json:
        """Send a friend request. If the other player has already sent one, the two become friends.

        At most 60 per minute per caller.
        """
        return self._call("PUT", f"/v1/players/{part(player_id)}/friends/requests/{part(other_id)}")

    def accept_request(self, player_id: str, other_id: str) -> Json:
        """Accept a friend request.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST", f"/v1/players/{part(player_id)}/friends/requests/{part(other_id)}/accept"
        )

    def decline_request(self, player_id: str, other_id: str) -> Json:
        """Decline a friend request.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST", f"/v1/players/{part(player_id)}/friends/requests/{part(other_id)}/decline"
        )

    def end_friendship(self, player_id: str, other_id: str) -> Json:
        """Remove a friend.

        At most 60 per minute per caller.
        """
        return self._call("DELETE", f"/v1/players/{part(player_id)}/friends/{part(other_id)}")

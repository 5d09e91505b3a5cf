"""Leaderboards. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from ..calls import Calls, Json, part


class Leaderboards(Calls):
    """Operations of the tag Leaderboards."""

    def list_guilds(
        self, game: str, *, limit: int | None = None, offset: int | None = None
    ) -> Json:
        """The guilds of one of the integrator's games."""
        return self._call(
            "GET", f"/v1/games/{part(game)}/guilds", query={"limit": limit, "offset": offset}
        )

    def remove_guild(self, game: str, guild: str) -> Json:
        """Remove a guild, from the boards of the past too. Its players stay."""
        return self._call("DELETE", f"/v1/games/{part(game)}/guilds/{part(guild)}")

    def get_guild(self, game: str, guild: str) -> Json:
        """A guild with its members."""
        return self._call("GET", f"/v1/games/{part(game)}/guilds/{part(guild)}")

    def put_guild(self, game: str, guild: str, *, name: str, member_ids: list[str]) -> Json:
        """Make a guild, or make it so.

        Whoever is not in `member_ids` has left. A member counts with all that they hold in a
        window: in one that runs from the moment they join until they leave, in one that has
        ended if they were in the guild when it ended.
        """
        return self._call(
            "PUT",
            f"/v1/games/{part(game)}/guilds/{part(guild)}",
            body={"name": name, "member_ids": member_ids},
        )

    def get_leaderboard(
        self,
        game: str,
        mode: str,
        window: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        around_player_id: str | None = None,
        nearby: int | None = None,
    ) -> Json:
        """The top of a board, or any page of it.

        With `around_player_id` the player's place and neighbours come too. A window in which
        nobody has a score is empty.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}",
            query={
                "limit": limit,
                "offset": offset,
                "around_player_id": around_player_id,
                "nearby": nearby,
            },
        )

    def get_leaderboard_at(
        self,
        game: str,
        mode: str,
        window: str,
        *,
        at: str,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """A board as it stood at a moment.

        By the scores that were stored then and counted then, whatever was decided about them
        since. A moment of the last seconds may still gain scores that are on their way.

        At most 20 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/at",
            query={"at": at, "limit": limit, "offset": offset},
        )

    def get_score_band(
        self,
        game: str,
        mode: str,
        window: str,
        *,
        low: int,
        high: int,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """The players whose score is in a band."""
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/band",
            query={"low": low, "high": high, "limit": limit, "offset": offset},
        )

    def rank_guilds(
        self,
        game: str,
        mode: str,
        window: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        measure: str | None = None,
        top: int | None = None,
    ) -> Json:
        """The guilds of the game on a board, by their members' scores there.

        `measure` and `top` say what a guild's score is. It is worked out from the board at each
        look, so that corrections and bans show at once. Equal guilds share a rank: 1, 1, 3, and
        1, 1, 2 where the mode is `dense`.

        At most 60 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/guilds",
            query={"limit": limit, "offset": offset, "measure": measure, "top": top},
        )

    def rank_guild_members(self, game: str, mode: str, window: str, guild: str) -> Json:
        """The members of a guild on a board: their places on all of it and among themselves.

        At most 120 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/guilds/{part(guild)}",
        )

    def get_rank_movement(
        self,
        game: str,
        mode: str,
        window: str,
        *,
        since: str,
        until: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """Who moved between two moments.

        `until` is now if left out.

        At most 20 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/movement",
            query={"since": since, "until": until, "limit": limit, "offset": offset},
        )

    def get_percentiles(self, game: str, mode: str, window: str) -> Json:
        """The scores that divide the players of a board into percentiles.

        For boards so large that "in the top 10 %" says more than a rank: one call tells it for
        any number of players.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/percentiles",
        )

    def rank_players(self, game: str, mode: str, window: str, *, player_ids: list[str]) -> Json:
        """Where up to 500 players stand, on the whole board and among themselves.

        A read: nothing is changed or kept. In the board's order: by rank, and of equal ones
        whom the board has first; each player once. Equal scores share a rank, on the board and
        among the list, as the mode's `ties` say.

        At most 120 per minute per address.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/players",
            body={"player_ids": player_ids},
        )

    def get_player_rank(
        self, game: str, mode: str, window: str, player_id: str, *, nearby: int | None = None
    ) -> Json:
        """The rank of a player, also of one without a score."""
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/players/{part(player_id)}",
            query={"nearby": nearby},
        )

    def get_player_history(
        self,
        game: str,
        mode: str,
        window: str,
        player_id: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """The scores that a player sent, with what counted after each.

        Everybody sees those that count. The player and the game's integrator also see those
        that do not: flagged (held back for a look), rejected, rolled_back.

        At most 60 per minute per caller.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/players/{part(player_id)}/history",
            query={"limit": limit, "offset": offset},
        )

    def list_windows(
        self,
        game: str,
        mode: str,
        *,
        kind: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """The windows of a mode, with their beginnings and ends.

        Those of now, and those before them in which somebody has a score.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/windows",
            query={"kind": kind, "limit": limit, "offset": offset},
        )

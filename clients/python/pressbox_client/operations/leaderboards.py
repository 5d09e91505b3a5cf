"""Leaderboards. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from ..calls import Calls, Json, part


class Leaderboards(Calls):
    """Operations of the tag Leaderboards."""

    def list_guilds(
        self, game: str, *, limit: int | None = None, offset: int | None = None
    ) -> Json:
        """List the guilds of one of the integrator's games."""
        return self._call(
            "GET", f"/v1/games/{part(game)}/guilds", query={"limit": limit, "offset": offset}
        )

    def remove_guild(self, game: str, guild: str) -> Json:
        """Remove a guild, including from past boards. Its players stay."""
        return self._call("DELETE", f"/v1/games/{part(game)}/guilds/{part(guild)}")

    def get_guild(self, game: str, guild: str) -> Json:
        """Read a guild with its members."""
        return self._call("GET", f"/v1/games/{part(game)}/guilds/{part(guild)}")

    def put_guild(self, game: str, guild: str, *, name: str, member_ids: list[str]) -> Json:
        """Create or replace a guild.

        Players who are not in `member_ids` leave it. A member contributes their whole score in
        a window: in the current one from joining until leaving, in an earlier one if they were
        in the guild when it ended.
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
        """Read the top of a board, or any page of it.

        With `around_player_id`, the response includes the player's place and the players around
        them. A window without scores has no rows.
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
        """Read a board as it stood at a moment.

        It includes the scores that counted then, whatever was decided about them later. A board
        from a few seconds ago may still gain scores that are being processed.

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
        """List the players whose score is in a band."""
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
        """Rank the guilds of the game on a board, by their members' scores there.

        `measure` and `top` define a guild's score. It is computed from the board on each
        request, so corrections and bans take effect right away. Equal guilds share a rank: 1,
        1, 3, or 1, 1, 2 if the mode is `dense`.

        At most 60 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/guilds",
            query={"limit": limit, "offset": offset, "measure": measure, "top": top},
        )

    def rank_guild_members(self, game: str, mode: str, window: str, guild: str) -> Json:
        """Rank the members of a guild, on the whole board and among themselves.

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
        """List the players who moved between two moments.

        `until` defaults to now.

        At most 20 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/movement",
            query={"since": since, "until": until, "limit": limit, "offset": offset},
        )

    def get_percentiles(self, game: str, mode: str, window: str) -> Json:
        """Read the score at each percentile of a board.

        For large boards, where "top 10%" says more than a rank. One call is enough for any
        number of players.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/percentiles",
        )

    def rank_players(self, game: str, mode: str, window: str, *, player_ids: list[str]) -> Json:
        """Rank up to 500 players, on the whole board and among themselves.

        Nothing is changed or stored. The response is in the board's order, with each player
        once. Equal scores rank according to the mode's `ties`, on the board and within the
        list.

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
        """Read a player's rank, even if they have no score."""
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
        """List the scores that a player sent, with what counted after each.

        Everyone sees the scores that count. The player and the game's integrator also see those
        that are flagged (waiting for review), rejected or rolled back.

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
        """List a mode's windows, with their starts and ends.

        The list includes current windows and earlier ones with scores.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/windows",
            query={"kind": kind, "limit": limit, "offset": offset},
        )

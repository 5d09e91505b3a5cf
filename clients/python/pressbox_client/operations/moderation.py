"""Moderation. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from typing import TypedDict, Unpack

from ..calls import Calls, Json, known, part


class MakeRollbackOptions(TypedDict, total=False):
    """Optional parameters of `make_rollback`."""

    mode: str | None
    player_id: str | None
    event_id: str | None
    from_event: str | None
    window_id: str | None
    since: str | None
    until: str | None


class Moderation(Calls):
    """Operations of the tag Moderation."""

    def list_held_scores(
        self, game: str, *, mode: str | None = None, page: int | None = None
    ) -> Json:
        """Scores of a game of the integrator that count only once somebody accepts them."""
        return self._call(
            "GET", f"/v1/games/{part(game)}/held-scores", query={"mode": mode, "page": page}
        )

    def decide_score(self, game: str, event_id: str, *, decision: str, reason: str) -> Json:
        """Accept, reject, hold back or restore a score of the integrator's own game.

        Every board follows at once.

        Nobody decides about a score of their own: one of the integrator's owner is 403.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/held-scores/{part(event_id)}/decision",
            body={"decision": decision, "reason": reason},
        )

    def freeze_board(self, game: str, mode: str, window: str, *, reason: str) -> Json:
        """Have the public see the board as it stands now, whatever comes in."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/freeze",
            body={"reason": reason},
        )

    def thaw_board(self, game: str, mode: str, window: str, *, reason: str) -> Json:
        """Have the public see the board as it is again."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/thaw",
            body={"reason": reason},
        )

    def get_limits(self, game: str, mode: str) -> Json:
        """The mode's anti-cheat limits: its own, or Pressbox's."""
        return self._call("GET", f"/v1/games/{part(game)}/modes/{part(mode)}/limits")

    def set_limits(
        self, game: str, mode: str, *, per_minute: int, per_hour: int, reach: int, reason: str
    ) -> Json:
        """Set the mode's own anti-cheat limits, from the next scores on."""
        return self._call(
            "PUT",
            f"/v1/games/{part(game)}/modes/{part(mode)}/limits",
            body={"per_minute": per_minute, "per_hour": per_hour, "reach": reach, "reason": reason},
        )

    def try_limits(
        self, game: str, mode: str, *, per_minute: int, per_hour: int, reach: int
    ) -> Json:
        """Who would have been held in the last 30 days by these limits. Changes nothing."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/limits/dry-run",
            body={"per_minute": per_minute, "per_hour": per_hour, "reach": reach},
        )

    def reset_limits(self, game: str, mode: str, *, reason: str) -> Json:
        """Go back to Pressbox's own limits."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/limits/reset",
            body={"reason": reason},
        )

    def ban_player(
        self, game: str, player_id: str, *, reason: str, until: str | None = None
    ) -> Json:
        """Ban a player that the integrator registered, or suspend them until a moment.

        They are off every board at once, and get no token and no score in. A sanction of the
        integrator that stands is replaced; one that Pressbox's moderators imposed is theirs.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/players/{part(player_id)}/ban",
            body={"reason": reason, "until": until},
        )

    def unban_player(self, game: str, player_id: str, *, reason: str) -> Json:
        """Lift what the integrator imposed on a player: every board shows again exactly what
        stood.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/players/{part(player_id)}/unban",
            body={"reason": reason},
        )

    def list_rollbacks(self, game: str) -> Json:
        """Rollbacks of this game."""
        return self._call("GET", f"/v1/games/{part(game)}/rollbacks")

    def make_rollback(
        self, game: str, *, digest: str, reason: str, **options: Unpack[MakeRollbackOptions]
    ) -> Json:
        """Take these scores back in one step; every board is right after it.

        Sent once only, whatever is answered.
        """
        given = known(MakeRollbackOptions, options)
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/rollbacks",
            body={
                "digest": digest,
                "reason": reason,
                "mode": given.get("mode"),
                "player_id": given.get("player_id"),
                "event_id": given.get("event_id"),
                "from_event": given.get("from_event"),
                "window_id": given.get("window_id"),
                "since": given.get("since"),
                "until": given.get("until"),
            },
            tries=1,
        )

    def preview_rollback(
        self,
        game: str,
        *,
        mode: str | None = None,
        player_id: str | None = None,
        event_id: str | None = None,
        from_event: str | None = None,
        window_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Json:
        """Who would move, and by how much, if these scores were taken back. Changes nothing."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/rollbacks/preview",
            body={
                "mode": mode,
                "player_id": player_id,
                "event_id": event_id,
                "from_event": from_event,
                "window_id": window_id,
                "since": since,
                "until": until,
            },
        )

    def undo_rollback(self, game: str, rollback_id: str, *, reason: str) -> Json:
        """Have the scores of a rollback count again, as they did."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/rollbacks/{part(rollback_id)}/undo",
            body={"reason": reason},
        )

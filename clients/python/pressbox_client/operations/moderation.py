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
        """List the scores of the integrator's game that wait for a decision."""
        return self._call(
            "GET", f"/v1/games/{part(game)}/held-scores", query={"mode": mode, "page": page}
        )

    def decide_score(self, game: str, event_id: str, *, decision: str, reason: str) -> Json:
        """Accept, reject, hold or restore a score of the integrator's own game.

        All boards change at once. Nobody may decide about their own score: a score of the
        integrator's owner gives 403.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/held-scores/{part(event_id)}/decision",
            body={"decision": decision, "reason": reason},
        )

    def freeze_board(self, game: str, mode: str, window: str, *, reason: str) -> Json:
        """Show the public the board as it stands now, whatever scores arrive."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/freeze",
            body={"reason": reason},
        )

    def thaw_board(self, game: str, mode: str, window: str, *, reason: str) -> Json:
        """Show the public the current board again."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/thaw",
            body={"reason": reason},
        )

    def get_limits(self, game: str, mode: str) -> Json:
        """Read the mode's anti-cheat limits: its own, or Pressbox's."""
        return self._call("GET", f"/v1/games/{part(game)}/modes/{part(mode)}/limits")

    def set_limits(
        self, game: str, mode: str, *, per_minute: int, per_hour: int, reach: int, reason: str
    ) -> Json:
        """Set the mode's own anti-cheat limits for all further scores."""
        return self._call(
            "PUT",
            f"/v1/games/{part(game)}/modes/{part(mode)}/limits",
            body={"per_minute": per_minute, "per_hour": per_hour, "reach": reach, "reason": reason},
        )

    def try_limits(
        self, game: str, mode: str, *, per_minute: int, per_hour: int, reach: int
    ) -> Json:
        """Show what these limits would have held in the last 30 days. Changes nothing.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/limits/dry-run",
            body={"per_minute": per_minute, "per_hour": per_hour, "reach": reach},
        )

    def reset_limits(self, game: str, mode: str, *, reason: str) -> Json:
        """Restore Pressbox's own limits."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/limits/reset",
            body={"reason": reason},
        )

    def ban_player(
        self, game: str, player_id: str, *, reason: str, until: str | None = None
    ) -> Json:
        """Ban a player that the integrator registered, or suspend them until a moment.

        They disappear from every board at once, and get no tokens; their scores are refused. An
        earlier sanction by the integrator is replaced; one by Pressbox's moderators stays in
        force.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/players/{part(player_id)}/ban",
            body={"reason": reason, "until": until},
        )

    def unban_player(self, game: str, player_id: str, *, reason: str) -> Json:
        """Lift the integrator's sanction of a player: all boards show their scores again."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/players/{part(player_id)}/unban",
            body={"reason": reason},
        )

    def list_rollbacks(self, game: str) -> Json:
        """List the rollbacks of this game."""
        return self._call("GET", f"/v1/games/{part(game)}/rollbacks")

    def make_rollback(
        self, game: str, *, digest: str, reason: str, **options: Unpack[MakeRollbackOptions]
    ) -> Json:
        """Roll these scores back in one step; afterwards every board is correct.

        At most 60 per minute per caller.

        Sent once only, whatever is answered.
        """
        values = known(MakeRollbackOptions, options)
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/rollbacks",
            body={
                "digest": digest,
                "reason": reason,
                "mode": values.get("mode"),
                "player_id": values.get("player_id"),
                "event_id": values.get("event_id"),
                "from_event": values.get("from_event"),
                "window_id": values.get("window_id"),
                "since": values.get("since"),
                "until": values.get("until"),
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
        """Show who would move, and how far, if these scores were rolled back. Changes nothing.

        At most 60 per minute per caller.
        """
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
        """Undo a rollback: its scores count again as before.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/rollbacks/{part(rollback_id)}/undo",
            body={"reason": reason},
        )

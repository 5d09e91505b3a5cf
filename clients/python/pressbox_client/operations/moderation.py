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
        """List the scores of a game that are waiting for a decision."""
        return self._call(
            "GET", f"/v1/games/{part(game)}/held-scores", query={"mode": mode, "page": page}
        )

    def decide_score(self, game: str, event_id: str, *, decision: str, reason: str) -> Json:
        """Accept, reject, hold or restore a score of a game.

        All boards are updated right away. No one can decide on their own score: for a score of
        the integrator's owner, the response is 403.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/held-scores/{part(event_id)}/decision",
            body={"decision": decision, "reason": reason},
        )

    def freeze_board(self, game: str, mode: str, window: str, *, reason: str) -> Json:
        """Freeze a board: the public sees its current state until it is unfrozen."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/freeze",
            body={"reason": reason},
        )

    def thaw_board(self, game: str, mode: str, window: str, *, reason: str) -> Json:
        """Unfreeze a board: the public sees live scores again."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/leaderboards/{part(window)}/thaw",
            body={"reason": reason},
        )

    def get_limits(self, game: str, mode: str) -> Json:
        """Read a mode's anti-cheat limits: its own, or Pressbox's defaults."""
        return self._call("GET", f"/v1/games/{part(game)}/modes/{part(mode)}/limits")

    def set_limits(
        self, game: str, mode: str, *, per_minute: int, per_hour: int, reach: int, reason: str
    ) -> Json:
        """Set a mode's anti-cheat limits for all scores from now on."""
        return self._call(
            "PUT",
            f"/v1/games/{part(game)}/modes/{part(mode)}/limits",
            body={"per_minute": per_minute, "per_hour": per_hour, "reach": reach, "reason": reason},
        )

    def try_limits(
        self, game: str, mode: str, *, per_minute: int, per_hour: int, reach: int
    ) -> Json:
        """Preview what these limits would have held in the last 30 days. Nothing is changed.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/limits/dry-run",
            body={"per_minute": per_minute, "per_hour": per_hour, "reach": reach},
        )

    def reset_limits(self, game: str, mode: str, *, reason: str) -> Json:
        """Restore Pressbox's default limits."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/limits/reset",
            body={"reason": reason},
        )

    def ban_player(
        self, game: str, player_id: str, *, reason: str, until: str | None = None
    ) -> Json:
        """Ban one of the integrator's players, or suspend them until a given time.

        The player disappears from all boards right away, gets no tokens, and their scores are
        refused. This replaces an earlier sanction by the integrator; one by Pressbox's
        moderators stays in force.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/players/{part(player_id)}/ban",
            body={"reason": reason, "until": until},
        )

    def unban_player(self, game: str, player_id: str, *, reason: str) -> Json:
        """Lift the integrator's sanction on a player. All boards show their scores again."""
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
        """Roll these scores back in one step. All boards are recalculated.

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
        """Preview how rolling these scores back would change ranks. Nothing is changed.

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

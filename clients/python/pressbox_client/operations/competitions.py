"""Competitions. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from typing import Any

from ..calls import Calls, Json, part


class Competitions(Calls):
    """Operations of the tag Competitions."""

    def list_competitions(self, game: str, mode: str) -> Json:
        """List the competitions of a mode. The integrator's own key sees drafts too."""
        return self._call("GET", f"/v1/games/{part(game)}/modes/{part(mode)}/competitions")

    def create_competition(
        self, game: str, mode: str, *, slug: str, title: str, declaration: dict[str, Any]
    ) -> Json:
        """Create a competition as a draft.

        A draft has no effect and can be changed completely: preview it, then publish it.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions",
            body={"slug": slug, "title": title, "declaration": declaration},
        )

    def delete_competition(self, game: str, mode: str, competition: str) -> Json:
        """Delete a draft."""
        return self._call(
            "DELETE", f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}"
        )

    def get_competition(self, game: str, mode: str, competition: str) -> Json:
        """Read a competition, its declaration and its windows.

        Only its integrator's key sees a draft.
        """
        return self._call(
            "GET", f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}"
        )

    def change_competition(
        self,
        game: str,
        mode: str,
        competition: str,
        *,
        title: str | None = None,
        declaration: dict[str, Any] | None = None,
    ) -> Json:
        """Change a competition. Either all of the change is made or none of it.

        A draft can be changed completely. Once it is live, you can change its title, the tiers'
        titles, the number of windows (those that have begun or have players stay) and
        `corrections_days`. The audit records who changed what.
        """
        return self._call(
            "PATCH",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}",
            body={"title": title, "declaration": declaration},
        )

    def take_attempt(
        self,
        game: str,
        mode: str,
        competition: str,
        *,
        player_id: str,
        attempt_id: str | None = None,
        score_cap: int | None = None,
        expires_in: int | None = None,
        session_id: str | None = None,
    ) -> Json:
        """Take one of a player's attempts in the current window: the right to send one score.

        An attempt is used up when it is taken. If you send your own `attempt_id`, you can
        repeat the request: it returns the same attempt and uses up no other. The attempt
        expires at the end of the window at the latest. Its score is sent like that of any
        attempt; a server that sends scores in bulk gives this `attempt_id`.

        At most 6000 per minute per caller.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/attempts",
            body={
                "player_id": player_id,
                "attempt_id": attempt_id,
                "score_cap": score_cap,
                "expires_in": expires_in,
                "session_id": session_id,
            },
        )

    def end_competition(self, game: str, mode: str, competition: str) -> Json:
        """End a competition after its current window.

        The current window is played to its end and settled. No further windows begin.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/end",
        )

    def invite_players(
        self, game: str, mode: str, competition: str, *, player_ids: list[str]
    ) -> Json:
        """Invite up to 1,000 players to the competition. Players invited before stay invited.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/invitations",
            body={"player_ids": player_ids},
        )

    def join_competition(self, game: str, mode: str, competition: str, player_id: str) -> Json:
        """Join the current window, or the next one. Repeating it changes nothing.

        Sent by the player with their token, or by the game's server. A player with a score in a
        window is placed in the next one by its settlement, without joining.
        """
        return self._call(
            "PUT",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/players/{part(player_id)}",
        )

    def preview_competition(
        self, game: str, mode: str, competition: str, *, windows: int | None = None
    ) -> Json:
        """Show what the declaration would have done in past windows of the mode. Changes nothing.

        The schedule is extended into the past, and the last windows that are over are examined.
        Players with a score that counts are taken as joined, in the order of their first
        scores; if attempts are limited, their first scores count. Cohorts, moves and rewards
        follow the same rules as a settlement.

        At most 30 per minute per caller.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/preview",
            query={"windows": windows},
        )

    def publish_competition(self, game: str, mode: str, competition: str) -> Json:
        """Publish a draft. Repeating it changes nothing.

        Its windows are created, and players may join the first one, which must be in the
        future. All windows are settled by the mode's `aggregation` and `ties` at this moment.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/publish",
        )

    def list_rewards(
        self,
        game: str,
        mode: str,
        competition: str,
        *,
        player_id: str | None = None,
        after: int | None = None,
        limit: int | None = None,
    ) -> Json:
        """List the ledger of rewards: what was granted and withdrawn, and when.

        Players see only their own lines.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/rewards",
            query={"player_id": player_id, "after": after, "limit": limit},
        )

    def get_cohort(
        self,
        game: str,
        mode: str,
        competition: str,
        number: int,
        *,
        tier: int | None = None,
        cohort: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """Read the table of a cohort with current promotions, relegations and rewards.

        At most 300 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/windows/{part(str(number))}",
            query={"tier": tier, "cohort": cohort, "limit": limit, "offset": offset},
        )

    def get_own_cohort(
        self, game: str, mode: str, competition: str, number: int, player_id: str
    ) -> Json:
        """Read the table of a player's cohort, 1,000 rows at most.

        At most 300 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/windows/{part(str(number))}/players/{part(player_id)}",
        )

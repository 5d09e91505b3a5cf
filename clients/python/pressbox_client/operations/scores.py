"""Scores. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

import uuid
from typing import Any, TypedDict, Unpack

from ..calls import Calls, Json, known, part


class SubmitScoreOptions(TypedDict, total=False):
    """Optional parameters of `submit_score`."""

    wait: str | None
    idempotency_key: str | None
    x_device_id: str | None
    subscore: int | None
    metadata: dict[str, Any] | None
    session_id: str | None
    client_meta: dict[str, Any] | None
    replay: str | None


class Scores(Calls):
    """Operations of the tag Scores."""

    def issue_attempt(
        self,
        game: str,
        mode: str,
        *,
        player_id: str,
        attempt_id: str | None = None,
        score_cap: int | None = None,
        expires_in: int | None = None,
        session_id: str | None = None,
    ) -> Json:
        """Issue an attempt: the right of a player to send one score.

        Game servers call this once at the start of each game that a player begins. The player
        can be a member or one of the integrator's own players.

        At most 6000 per minute per caller.

        `attempt_id` is made up if left out.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/attempts",
            body={
                "player_id": player_id,
                "attempt_id": attempt_id or str(uuid.uuid4()),
                "score_cap": score_cap,
                "expires_in": expires_in,
                "session_id": session_id,
            },
        )

    def submit_score(
        self,
        game: str,
        mode: str,
        *,
        attempt_id: str,
        raw_score: int,
        attempt_token: str,
        **options: Unpack[SubmitScoreOptions],
    ) -> Json:
        """Send the score of an attempt.

        Sent by the player, with their token. An attempt counts once: repeating the request
        returns its first outcome. After a 503, send exactly the same request again.

        At most 60 per minute and 1200 per hour per caller and 600 per minute per address.

        `idempotency_key` is made up if left out.
        """
        values = known(SubmitScoreOptions, options)
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/scores",
            query={"wait": values.get("wait")},
            headers={
                "Idempotency-Key": values.get("idempotency_key") or attempt_id,
                "X-Device-Id": values.get("x_device_id"),
            },
            body={
                "attempt_id": attempt_id,
                "raw_score": raw_score,
                "attempt_token": attempt_token,
                "subscore": values.get("subscore"),
                "metadata": values.get("metadata"),
                "session_id": values.get("session_id"),
                "client_meta": values.get("client_meta"),
                "replay": values.get("replay"),
            },
        )

    def submit_bulk(
        self, game: str, mode: str, *, scores: list[dict[str, Any]], wait: str | None = None
    ) -> Json:
        """Send up to 1,000 scores of a mode.

        For trusted game servers: no attempts are needed. Each score is handled on its own. It
        is checked like a score sent by a player, and limited to 60 per minute and player. If a
        call fails, send it again unchanged: accepted scores keep their first outcome, and
        nothing counts twice. A score counts in the windows of its `achieved_at`, even if they
        have ended since.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/scores/bulk",
            query={"wait": wait},
            body={"scores": scores},
        )

    def submit_scores(
        self,
        game: str,
        *,
        scores: list[dict[str, Any]],
        wait: str | None = None,
        client_meta: dict[str, Any] | None = None,
        replay: str | None = None,
    ) -> Json:
        """Send the scores of one game in several modes.

        Each score has its own attempt, is decided on its own, and counts on all boards of its
        mode.

        At most 60 per minute and 1200 per hour per caller and 600 per minute per address.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/scores",
            query={"wait": wait},
            body={"scores": scores, "client_meta": client_meta, "replay": replay},
        )

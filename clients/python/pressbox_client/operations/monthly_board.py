"""Monthly board. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

import uuid

from ..calls import Calls, Json, part


class MonthlyBoard(Calls):
    """Operations of the tag Monthly board."""

    def get_top_ten(self) -> Json:
        """Read the top ten of this month."""
        return self._call("GET", "/v1/scores")

    def add_points(
        self,
        *,
        user_id: str,
        points: int,
        idempotency_key: str | None = None,
        x_device_id: str | None = None,
    ) -> Json:
        """Add points to a user's score for this month.

        Only for the operator's game servers. With an `Idempotency-Key`, the same points count
        only once, however often they are sent.

        At most 6000 per minute per caller.

        `idempotency_key` is made up if left out.
        """
        return self._call(
            "POST",
            "/v1/scores",
            headers={
                "Idempotency-Key": idempotency_key or str(uuid.uuid4()),
                "X-Device-Id": x_device_id,
            },
            body={"user_id": user_id, "points": points},
        )

    def get_user_score(self, user_id: str) -> Json:
        """Read the rank and score of a user this month, with four places above and below."""
        return self._call("GET", f"/v1/scores/{part(user_id)}")

"""Change feed and webhooks. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from collections.abc import Iterator

from ..calls import Calls, Json, part


class ChangeFeedAndWebhooks(Calls):
    """Operations of the tag Change feed and webhooks."""

    def read_feed(
        self, *, since: str | None = None, limit: int | None = None, wait: int | None = None
    ) -> Json:
        """Read the changes on the integrator's boards, without gaps.

        Send `next` from each response as `since` in the next request. Changes are kept for 7
        days. With `wait`, the response is sent with the first change, or empty when the time is
        up. A waiting request counts as a stream. An integrator can have 300 of them; more are
        refused with 429.
        """
        return self._call("GET", "/v1/feed", query={"since": since, "limit": limit, "wait": wait})

    def stream_events(
        self, *, since: str | None = None, last_event_id: str | None = None
    ) -> Iterator[Json]:
        """Stream the feed as server-sent events (SSE), for up to 15 minutes.

        Each event is a change: `event` is its kind, `data` the change itself and `id` its
        position. SSE libraries reconnect automatically and send the last `id` as `Last-Event-
        ID`. The stream continues right after it, without gaps or duplicates. After 15 s without
        a change, a comment is sent.
        """
        return self._events(
            "GET",
            "/v1/feed/events",
            query={"since": since},
            headers={"Last-Event-ID": last_event_id},
        )

    def stream_feed(self, *, since: str | None = None) -> Iterator[Json]:
        """Stream the feed as lines of JSON, for up to 15 minutes.

        Each line has `changes`, or `keep_alive` after 15 s without any, and `next`, from which
        the next request continues. A reader that falls too far behind is disconnected and can
        continue from its last `next`.
        """
        return self._lines("GET", "/v1/feed/stream", query={"since": since})

    def list_webhooks(self) -> Json:
        """List the integrator's webhooks."""
        return self._call("GET", "/v1/webhooks")

    def create_webhook(self, *, url: str, events: list[str] | None = None) -> Json:
        """Create a webhook, which is notified of changes from now on.

        Each delivery is signed according to Standard Webhooks (`webhook-id`, `webhook-
        timestamp`, `webhook-signature`): check it with a library of standardwebhooks.com, which
        refuses timestamps that are more than 5 minutes off. If the answer is not 2xx within 10
        s, the delivery is retried for 24 hours, first after 30 s, then after twice as long each
        time, up to 2 hours. A delivery may arrive twice; `webhook-id` identifies it. The
        address must be public, now and for every delivery.

        Sent once only, whatever is answered.
        """
        return self._call("POST", "/v1/webhooks", body={"url": url, "events": events}, tries=1)

    def delete_webhook(self, webhook_id: str) -> Json:
        """Delete a webhook with all its deliveries."""
        return self._call("DELETE", f"/v1/webhooks/{part(webhook_id)}")

    def list_deliveries(
        self, webhook_id: str, *, state: str | None = None, limit: int | None = None
    ) -> Json:
        """List deliveries with their outcome.

        Delivered ones are kept for 7 days, dead ones for 30 days.
        """
        return self._call(
            "GET",
            f"/v1/webhooks/{part(webhook_id)}/deliveries",
            query={"state": state, "limit": limit},
        )

    def replay_delivery(self, webhook_id: str, number: int) -> Json:
        """Send a dead or delivered delivery again, ahead of pending ones.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST", f"/v1/webhooks/{part(webhook_id)}/deliveries/{part(str(number))}/replay"
        )

    def replay_deliveries(
        self,
        webhook_id: str,
        *,
        state: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Json:
        """Send all dead deliveries again, or those from a given period.

        The oldest are sent first, ahead of pending ones, up to 1,000 per request. Each is
        retried for another day.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/v1/webhooks/{part(webhook_id)}/replay",
            body={"state": state, "since": since, "until": until},
        )

    def rotate_webhook_secret(self, webhook_id: str) -> Json:
        """Rotate a webhook's secret without losing pending deliveries.

        For 24 hours each delivery is signed with both secrets, and `webhook-signature` has both
        signatures, separated by a space, according to Standard Webhooks: change the secret at
        the receiver in this time. After another rotation, only the last two secrets sign.
        """
        return self._call("POST", f"/v1/webhooks/{part(webhook_id)}/secret")

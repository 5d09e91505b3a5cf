"""Change feed and webhooks. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from collections.abc import Iterator

from ..calls import Calls, Json, part


class ChangeFeedAndWebhooks(Calls):
    """Operations of the tag Change feed and webhooks."""

    def read_feed(
        self, *, since: str | None = None, limit: int | None = None, wait: int | None = None
    ) -> Json:
        """Changes on the integrator's boards, none skipped.

        Send `next` of each answer as `since` of the next request, however long after: changes
        are kept for 7 days. With `wait` an answer comes with the first change, or without one
        when the time is over. A request that waits counts as a stream: 300 of an integrator,
        then 429.
        """
        return self._call("GET", "/v1/feed", query={"since": since, "limit": limit, "wait": wait})

    def stream_events(
        self, *, since: str | None = None, last_event_id: str | None = None
    ) -> Iterator[Json]:
        """The feed as server-sent events (SSE), for up to 15 minutes.

        Each event is a change: `event` is its kind, `data` the change, `id` its place. A
        library for SSE comes again by itself and sends the last `id` as `Last-Event-ID`: it
        goes on right behind it, with none left out and none twice. Without a change for 15 s
        comes a comment.
        """
        return self._events(
            "GET",
            "/v1/feed/events",
            query={"since": since},
            headers={"Last-Event-ID": last_event_id},
        )

    def stream_feed(self, *, since: str | None = None) -> Iterator[Json]:
        """The feed as lines of JSON, for up to 15 minutes.

        Each line has `changes`, or without any for 15 s `keep_alive`; and `next`, to go on from
        with the next request. A reader that leaves much unread is cut off: it goes on from its
        last `next`.
        """
        return self._lines("GET", "/v1/feed/stream", query={"since": since})

    def list_webhooks(self) -> Json:
        """The integrator's webhooks."""
        return self._call("GET", "/v1/webhooks")

    def create_webhook(self, *, url: str, events: list[str] | None = None) -> Json:
        """Be notified of changes from now on.

        Each delivery is signed as Standard Webhooks says (`webhook-id`, `webhook-timestamp`,
        `webhook-signature`): check it with a library of standardwebhooks.com, which refuses one
        whose time is more than 5 minutes off. Anything but 2xx within 10 s is tried again for
        24 hours, after 30 s first and then after twice as long each time, up to 2 hours. A
        delivery may come twice: `webhook-id` names it. The address must be public, now and
        whenever something is sent.

        Sent once only, whatever is answered.
        """
        return self._call("POST", "/v1/webhooks", body={"url": url, "events": events}, tries=1)

    def delete_webhook(self, webhook_id: str) -> Json:
        """End a webhook, with all its deliveries."""
        return self._call("DELETE", f"/v1/webhooks/{part(webhook_id)}")

    def list_deliveries(
        self, webhook_id: str, *, state: str | None = None, limit: int | None = None
    ) -> Json:
        """What was sent, and how it went. Delivered ones are kept for 7 days, dead ones for 30."""
        return self._call(
            "GET",
            f"/v1/webhooks/{part(webhook_id)}/deliveries",
            query={"state": state, "limit": limit},
        )

    def replay_delivery(self, webhook_id: str, number: int) -> Json:
        """Send a dead or delivered one once more, before those that wait."""
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
        """Send all dead deliveries once more, or the delivered ones of some hours.

        The oldest first, before those that wait, 1,000 at a time; each has its own day of tries
        again.
        """
        return self._call(
            "POST",
            f"/v1/webhooks/{part(webhook_id)}/replay",
            body={"state": state, "since": since, "until": until},
        )

    def rotate_webhook_secret(self, webhook_id: str) -> Json:
        """Give a webhook a new secret, without losing what waits to be sent.

        For 24 hours each delivery is signed with both, and `webhook-signature` holds both
        signatures, separated by a space, as Standard Webhooks says: change the secret at the
        receiver meanwhile. Rotated again, only the last two sign.
        """
        return self._call("POST", f"/v1/webhooks/{part(webhook_id)}/secret")

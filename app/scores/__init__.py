"""Scores that games send in: from the request to the boards, with reviews, feed and webhooks."""

TABLES = ("app.scores.models", "app.scores.feed.models", "app.scores.webhooks.models")

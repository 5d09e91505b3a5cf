"""Scores that games send in: from the request to the boards, with reviews, feed and webhooks."""

"""The change feed: what changed on an integrator's boards, in an order that skips nothing."""

"""Query plans: which index serves each published query (`pressbox query-plans`)."""

"""Pages of the predictions: tournaments, rounds, leaderboards, pools."""

"""What commissioners do for their league: acts on somebody's behalf, reversals, owners, locks."""

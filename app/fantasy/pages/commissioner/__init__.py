"""Pages of a league's commissioner: settings, members, adjustments and scoring rules."""

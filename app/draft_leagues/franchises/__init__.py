"""The teams of a draft league: who runs which, and the lock under which their rosters change."""

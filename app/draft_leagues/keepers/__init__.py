"""The next season of a draft league: who stays with their team, and at which cost."""

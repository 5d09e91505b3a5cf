"""Waivers: claims for footballers without a team, the runs that process them, and free agents."""

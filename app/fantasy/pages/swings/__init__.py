"""What plays did to a league's table."""

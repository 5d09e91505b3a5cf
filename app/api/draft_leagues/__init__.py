"""Draft leagues over the API: leagues with exclusive rosters, as on their pages."""

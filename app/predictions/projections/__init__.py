"""The API's response bodies for tournaments, and their copies in Redis."""

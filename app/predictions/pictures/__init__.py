"""Pictures of clubs and tournaments."""

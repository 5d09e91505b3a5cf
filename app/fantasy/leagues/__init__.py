"""What members and commissioners do with leagues.

Found, join, adjust, change rules, export, import.
"""

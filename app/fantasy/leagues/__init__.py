"""What members and commissioners do with leagues: found, join, adjust, change rules, export,
import.
"""

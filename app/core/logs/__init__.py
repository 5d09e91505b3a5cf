"""Logging: configuration, deduplication of repeated lines, rotation of log files."""

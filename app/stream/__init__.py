"""Kafka: topics, outbox, archive, signatures."""

TABLES = ("app.stream.models",)

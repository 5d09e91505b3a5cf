"""Embedded stores: PostgreSQL, Valkey and a Kafka-compatible broker from wheels."""

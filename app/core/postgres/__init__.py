"""PostgreSQL below SQLAlchemy: connections, timeouts, roles, advisory locks.

Nothing here imports SQLAlchemy, because light processes do without it. Its session is app/core/db.
"""

"""League tables: members, their order, head-to-head games, and the boards in Redis."""

"""League tables: who is in a league, how it is ordered, head-to-head games, and the boards in
Redis.
"""

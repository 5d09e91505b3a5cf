"""A fictional league, whole simulated games, and the demo season that shows them."""

"""How a board lies in Redis: the hash and range layouts, and moving a board between them."""

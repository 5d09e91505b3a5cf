"""The style guide: every component of the pages in every state, for those who build them."""

"""Every promise of Pressbox with the tests that hold it, listed in docs/promises.md."""

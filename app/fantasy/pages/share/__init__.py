"""Links and pictures that members share outside of Pressbox."""

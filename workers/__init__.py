"""The long-running processes of Pressbox, including the web server (web/), and the jobs."""

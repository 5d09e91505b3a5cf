"""What a member does with their own roster: drop, injured reserve, taxi squad."""

"""The consumer's side: applies score events to boards, and repairs what Redis missed."""

"""What is learned from conversations: observed, extracted, checked, landed, and let go again."""

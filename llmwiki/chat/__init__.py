"""The agent that lives on the wiki: turns, their transcript, the prompt, and what it may do."""

"""wiki chat: the line that is typed on, the answer as it is printed, questions and commands."""

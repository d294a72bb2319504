"""What a model may ask for in a conversation, one module for each kind of tool."""

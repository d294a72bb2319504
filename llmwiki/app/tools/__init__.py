"""Tools of the wiki for every model: in a conversation and over a protocol the same."""

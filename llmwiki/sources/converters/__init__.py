"""From the bytes of a document to its text: what runs only in the confined converting process.

The rest of the program never imports this: a library that reads untrusted documents is never
loaded where there is a network, a repository or a key.
"""

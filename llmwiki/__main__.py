"""`python -m llmwiki` is `wiki`."""

from llmwiki.interfaces.cli import main

if __name__ == "__main__":
    main()

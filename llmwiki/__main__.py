"""`python -m llmwiki` is `wiki`."""

from llmwiki.cli import main

if __name__ == "__main__":
    main()

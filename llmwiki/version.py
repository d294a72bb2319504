"""The version of the program: it stands here and nowhere else."""

__version__ = "0.1.0"

SIGNED = f"llmwiki/{__version__}"
"""Who signs what the program writes into pages by itself."""
SIGNED_OFFLINE = f"llmwiki-offline/{__version__}"
"""Who reads and answers without a model: this program."""


def is_offline(who: str) -> bool:
    """Whether that, of whatever version, is this program without a model."""
    return who.startswith("llmwiki-offline/")

"""llmwiki: a git-backed wiki that a language model maintains.

`Wiki.open(path)` gives a wiki; its methods are the use cases of the command line, as values. Every
name is imported when it is first asked for; `app.types` lists what is public.
"""

from typing import TYPE_CHECKING

from llmwiki.version import __version__ as __version__

if TYPE_CHECKING:
    from llmwiki.app.public_types import *
    from llmwiki.app.wiki import Wiki as Wiki
    from llmwiki.core.callbacks import Callbacks as Callbacks
    from llmwiki.core.errors import *

_FIRST = ("Callbacks", "Wiki")
"""What is imported without the types that methods take and return."""


def __getattr__(name: str) -> object:
    """A public name, imported now (PEP 562); `__all__` is all of them."""
    if name == "__all__":
        return _names()
    from llmwiki.app import wiki
    from llmwiki.core import errors

    if name in _FIRST:
        return getattr(wiki, name)
    if name in _failures():
        return getattr(errors, name)
    from llmwiki.app import public_types

    if name.startswith("_") or not hasattr(public_types, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(public_types, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_names()})


def _failures() -> list[str]:
    from llmwiki.core import errors

    return [name for name, held in vars(errors).items() if isinstance(held, type)]


def _names() -> list[str]:
    from llmwiki.app import public_types

    named = (name for name in vars(public_types) if not name.startswith("_"))
    return sorted({*_FIRST, *_failures(), *named, "__version__"})

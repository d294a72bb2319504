"""The transaction and the three named writers: `land` (committed), `derive`, `private`."""

from llmwiki.store.guard import GuardReport, install_guard
from llmwiki.store.paths import INIT, ORDINARY, AllowList
from llmwiki.store.private import PrivateFiles, common_files, derive, worktree_files
from llmwiki.store.recover import Recovery
from llmwiki.store.transaction import (
    Transaction,
    land_branch,
    locked,
    preflight,
    recover,
    transaction,
    unfinished,
)

__all__ = [
    "INIT",
    "ORDINARY",
    "AllowList",
    "GuardReport",
    "PrivateFiles",
    "Recovery",
    "Transaction",
    "common_files",
    "derive",
    "install_guard",
    "land_branch",
    "locked",
    "preflight",
    "recover",
    "transaction",
    "unfinished",
    "worktree_files",
]

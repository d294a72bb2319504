"""What an address that a server listens on means: who can reach it."""

from __future__ import annotations


def is_loopback(bind: str) -> bool:
    """Whether only this machine reaches an address."""
    import ipaddress

    if bind.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(bind.strip("[]")).is_loopback
    except ValueError:
        return False


def is_everywhere(bind: str) -> bool:
    """Whether an address stands for all addresses of this machine."""
    return bind.strip("[]") in ("0.0.0.0", "::", "")

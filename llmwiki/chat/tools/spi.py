"""The tool `spi`: devices on a bus of the machine, those that the user's own settings name.

Its input is checked before anything is opened; a transfer is asked for each time. Imports spidev
in the call only.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from llmwiki.chat.tools.hardware import (
    action_of,
    bytes_of,
    devices_like,
    hexadecimal,
    loaded,
    whole,
)
from llmwiki.chat.tools.registry import ChatTool, ToolContext, ToolOutput
from llmwiki.core.errors import InputError, PolicyError, StateError

ACTIONS = ("list", "transfer", "read")
MAX_DATA = 4096
MAX_SPEED = 125_000_000

ONLY_LINUX = "SPI is only supported on Linux. This tool requires /dev/spidev* device files."
NO_DEVICE = (
    "No SPI devices found. You may need to:\n1. Enable SPI in device tree\n"
    "2. Configure pinmux for your board (see hardware skill)\n3. Check that spidev module is loaded"
)
CONFIRM = (
    "transfer operations require confirm: true. Please confirm with the user before sending data"
    " to SPI devices."
)


def checked_spi(given: Mapping[str, Any]) -> dict[str, Any]:
    """The input of a call, checked as the tool promises. Raises InputError."""
    action = action_of(given, ACTIONS, "transfer", CONFIRM)
    checked: dict[str, Any] = {"action": action}
    if action == "list":
        return checked
    device = given.get("device")
    if not isinstance(device, str) or not device:
        raise InputError('device is required (e.g. "2.0" for /dev/spidev2.0)')
    if not re.fullmatch(r"[0-9]{1,4}\.[0-9]{1,4}", device):
        raise InputError('invalid device identifier: must be in format "X.Y" (e.g. "2.0")')
    checked["device"] = device
    ranges = (
        ("speed", 1_000_000, 1, MAX_SPEED, "speed must be between 1 Hz and 125 MHz"),
        ("mode", 0, 0, 3, "mode must be 0-3"),
        ("bits", 8, 1, 32, "bits must be between 1 and 32"),
    )
    for name, usual, low, high, said in ranges:
        number = whole(given.get(name, usual))
        if number is None or not low <= number <= high:
            raise InputError(said)
        checked[name] = number
    if action == "read":
        length = whole(given.get("length"))
        if length is None or not 1 <= length <= MAX_DATA:
            raise InputError("length is required for read (1-4096)")
        checked["data"] = [0] * length
    else:
        too_long = "data too long: maximum 4096 bytes per SPI transfer"
        checked["data"] = bytes_of(given.get("data"), "transfer", MAX_DATA, too_long)
    return checked


def spi_tool(
    allowed: Collection[str],
    *,
    load: Callable[[], Any] | None = None,
    find: Callable[[], Sequence[str]] = lambda: devices_like("spidev*"),
    system: str = sys.platform,
) -> ChatTool:
    """The tool. `allowed` are devices such as `2.0`; `load` gives the module spidev, `find` the
    device files."""
    devices = {entry.strip() for entry in allowed}
    module = load or (lambda: loaded("spidev"))

    def run(_at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
        if not system.startswith("linux"):
            raise StateError(ONLY_LINUX)
        if given["action"] == "list":
            return _listed(find())
        if given["device"] not in devices:
            raise PolicyError(
                f"the user's settings do not name {given['device']}",
                fix="chat.spi in the user's own configuration lists devices.",
            )
        return _transferred(module(), given)

    return ChatTool(
        "spi",
        "Read from and write to devices on an SPI bus. Actions: list, transfer (device, data, "
        "confirm), read (device, length); with speed, mode and bits.",
        {
            "action": {"type": "string", "enum": list(ACTIONS)},
            "device": {"type": "string"},
            "speed": {"type": "integer"},
            "mode": {"type": "integer"},
            "bits": {"type": "integer"},
            "data": {"type": "array", "items": {"type": "integer"}},
            "length": {"type": "integer"},
            "confirm": {"type": "boolean"},
        },
        run,
        ("action",),
        check=checked_spi,
        effect_of=lambda given: "hardware" if given["action"] == "transfer" else "read",
    )


def _listed(paths: Sequence[str]) -> ToolOutput:
    rows = [{"path": path, "device": path.removeprefix("/dev/spidev")} for path in paths]
    if not rows:
        return ToolOutput(NO_DEVICE, "no device")
    said = f"Found {len(rows)} SPI device(s)"
    return ToolOutput(f"{said}:\n{json.dumps(rows, indent=2)}", said)


def _transferred(spidev: Any, given: Mapping[str, Any]) -> ToolOutput:
    path = f"/dev/spidev{given['device']}"
    bus, _, chip = given["device"].partition(".")
    device = spidev.SpiDev()
    try:
        device.open(int(bus), int(chip))
    except OSError as error:
        what = f"failed to open {path}: {error} (check permissions and spidev module)"
        raise StateError(what) from error
    try:
        try:
            device.mode = given["mode"]
            device.bits_per_word = given["bits"]
            device.max_speed_hz = given["speed"]
        except OSError as error:
            raise StateError(f"failed to set SPI mode {given['mode']}: {error}") from error
        try:
            received = list(device.xfer2(list(given["data"])))
        except OSError as error:
            what = "transfer" if given["action"] == "transfer" else "read"
            raise StateError(f"SPI {what} failed: {error}") from error
    finally:
        device.close()
    result: dict[str, Any] = {"device": path}
    if given["action"] == "transfer":
        result |= {"sent": len(given["data"]), "received": received}
        result["hex"] = hexadecimal(received)
    else:
        result |= {"bytes": received, "hex": hexadecimal(received), "length": len(received)}
    return ToolOutput(json.dumps(result), f"{len(received)} bytes from {path}")

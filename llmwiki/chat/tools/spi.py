"""The tool `spi`: devices on a bus of the machine, those that the user's own settings name.

Its input is checked before anything is opened; a transfer is asked for each time. Imports spidev
in the call only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from llmwiki.chat.tools.hardware import (
    BusKind,
    action_of,
    bus_tool,
    bytes_of,
    failing_as,
    hexadecimal,
    whole,
)
from llmwiki.core.errors import InputError
from llmwiki.core.tool import Tool, ToolAnswer

ACTIONS = ("list", "transfer", "read")
MAX_DATA = 4096
MAX_SPEED = 125_000_000

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


def spi_tool(allowed: Collection[str], **machine: Any) -> Tool:
    """The tool. `allowed` are devices such as `2.0`; `machine` as `bus_tool` takes it."""
    return bus_tool(_SPI, {entry.strip() for entry in allowed}, **machine)


def _transferred(spidev: Any, given: Mapping[str, Any]) -> ToolAnswer:
    path = f"/dev/spidev{given['device']}"
    bus, _, chip = given["device"].partition(".")
    device = spidev.SpiDev()
    with failing_as(f"failed to open {path}", " (check permissions and spidev module)"):
        device.open(int(bus), int(chip))
    try:
        with failing_as(f"failed to set SPI mode {given['mode']}"):
            device.mode = given["mode"]
            device.bits_per_word = given["bits"]
            device.max_speed_hz = given["speed"]
        with failing_as(f"SPI {given['action']} failed"):
            received = list(device.xfer2(list(given["data"])))
    finally:
        device.close()
    result: dict[str, Any] = {"device": path}
    if given["action"] == "transfer":
        result |= {"sent": len(given["data"]), "received": received}
        result["hex"] = hexadecimal(received)
    else:
        result |= {"bytes": received, "hex": hexadecimal(received), "length": len(received)}
    return ToolAnswer(json.dumps(result), f"{len(received)} bytes from {path}")


_SPI = BusKind(
    name="spi",
    description="Read from and write to devices on an SPI bus. Actions: list, transfer (device, "
    "data, confirm), read (device, length); with speed, mode and bits.",
    actions=ACTIONS,
    writes="transfer",
    parameters={"device": "string", "speed": "integer", "mode": "integer", "bits": "integer"},
    place="spidev",
    key="device",
    found="SPI device(s)",
    nothing=NO_DEVICE,
    module="spidev",
    check=checked_spi,
    wanted=lambda given: str(given["device"]),
    act=_transferred,
)

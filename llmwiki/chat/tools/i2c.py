"""The tool `i2c`: devices on a bus of the machine, those that the user's own settings name.

Its input is checked before anything is opened; a write is asked for each time. Imports smbus2 in
the call only.
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Callable, Collection, Mapping
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
from llmwiki.core.errors import InputError, StateError
from llmwiki.core.tool import Tool, ToolAnswer

ACTIONS = ("detect", "scan", "read", "write")
FIRST, LAST = 0x03, 0x77
"""Addresses of 7 bits that devices may have."""
FIRST_SCANNED = 0x08
MAX_DATA = 256

NO_BUS = (
    "No I2C buses found. You may need to:\n1. Load the i2c-dev module: modprobe i2c-dev\n"
    "2. Check that I2C is enabled in device tree\n"
    "3. Configure pinmux for your board (see hardware skill)"
)
CONFIRM = (
    "write operations require confirm: true. Please confirm with the user before writing to I2C"
    " devices, as incorrect writes can misconfigure hardware."
)
_QUICK, _READ_BYTE = 0x10000, 0x20000
"""What an adapter can do, as bits of its functions."""


def checked_i2c(given: Mapping[str, Any]) -> dict[str, Any]:
    """The input of a call, checked as the tool promises. Raises InputError."""
    action = action_of(given, ACTIONS, "write", CONFIRM)
    checked: dict[str, Any] = {"action": action}
    if action == "detect":
        return checked
    checked["bus"] = _bus_of(given.get("bus"))
    if action == "scan":
        return checked
    checked["address"] = _address_of(given.get("address"))
    if action == "read":
        length = whole(given.get("length", 1))
        if length is None or not 1 <= length <= MAX_DATA:
            raise InputError("length must be between 1 and 256")
        checked["length"] = length
    else:
        too_long = "data too long: maximum 256 bytes per I2C transaction"
        checked["data"] = bytes_of(given.get("data"), "write", MAX_DATA, too_long)
    if "register" in given:
        register = whole(given["register"])
        if register is None or not 0 <= register <= 0xFF:
            raise InputError("register must be between 0x00 and 0xFF")
        checked["register"] = register
    return checked


def _bus_of(bus: object) -> str:
    if not isinstance(bus, str) or not bus:
        raise InputError('bus is required (e.g. "1" for /dev/i2c-1)')
    if not re.fullmatch("[0-9]{1,4}", bus):
        raise InputError('invalid bus identifier: must be a number (e.g. "1")')
    return bus


def _address_of(value: object) -> int:
    address = whole(value)
    if address is None:
        raise InputError("address is required (e.g. 0x38 for AHT20)")
    if not FIRST <= address <= LAST:
        raise InputError("address must be in valid 7-bit range (0x03-0x77)")
    return address


def probe_of(address: int, *, has_quick: bool) -> str:
    """How an address is asked whether a device is there: `quick`, `read_byte` or `none`.

    A quick write may damage what memories at 0x30-0x37 and 0x50-0x5f hold.
    """
    if not FIRST_SCANNED <= address <= LAST:
        return "none"
    is_memory = 0x30 <= address <= 0x37 or 0x50 <= address <= 0x5F
    return "read_byte" if is_memory or not has_quick else "quick"


def i2c_tool(allowed: Collection[str], **machine: Any) -> Tool:
    """The tool. `allowed` are `BUS` (which may be scanned) and `BUS:ADDRESS`; `machine` as
    `bus_tool` takes it."""
    return bus_tool(_I2C, {_normal(entry) for entry in allowed}, **machine)


def _normal(entry: str) -> str:
    """`1:56` and `1:0x38` are one."""
    bus, _, address = entry.strip().partition(":")
    try:
        return f"{bus}:{int(address, 0):#04x}" if address else bus
    except ValueError:
        return entry


def _wanted(given: Mapping[str, Any]) -> str:
    bus: str = given["bus"]
    return bus if given["action"] == "scan" else f"{bus}:{given['address']:#04x}"


def _act(smbus: Any, given: Mapping[str, Any]) -> ToolAnswer:
    path = f"/dev/i2c-{given['bus']}"
    with failing_as(f"failed to open {path}", " (check permissions and i2c-dev module)"):
        bus = smbus.SMBus(int(given["bus"]))
    try:
        return _ACTS[given["action"]](smbus, bus, path, given)
    finally:
        bus.close()


def _scan(_smbus: Any, bus: Any, path: str, _given: Mapping[str, Any]) -> ToolAnswer:
    has_quick, has_read = bool(bus.funcs & _QUICK), bool(bus.funcs & _READ_BYTE)
    if not has_quick and not has_read:
        raise StateError(
            f"I2C adapter {path} supports neither SMBus Quick nor Read Byte — cannot probe safely"
        )
    found: list[dict[str, str]] = []
    for address in range(FIRST_SCANNED, LAST + 1):
        probe = probe_of(address, has_quick=has_quick)
        if probe == "read_byte" and not has_read:
            continue
        try:
            _ = bus.write_quick(address) if probe == "quick" else bus.read_byte(address)
        except OSError as error:
            if error.errno == errno.EBUSY:
                status = "busy (in use by kernel driver)"
                found.append({"address": f"{address:#04x}", "status": status})
            continue
        found.append({"address": f"{address:#04x}"})
    if not found:
        said = f"No devices found on {path}. Check wiring and pull-up resistors."
        return ToolAnswer(said, "no devices")
    result = {"bus": path, "devices": found, "count": len(found)}
    return ToolAnswer(f"Scan of {path}:\n{json.dumps(result, indent=2)}", f"{len(found)} devices")


def _addressed(bus: Any, address: int) -> None:
    """Raises StateError where a driver of the kernel has the device: a transfer would not say."""
    with failing_as(f"failed to set I2C address {address:#04x}"):
        bus._set_address(address)


def _read(smbus: Any, bus: Any, path: str, given: Mapping[str, Any]) -> ToolAnswer:
    address = given["address"]
    _addressed(bus, address)
    answer = smbus.i2c_msg.read(address, given["length"])
    asked = [smbus.i2c_msg.write(address, [given["register"]])] if "register" in given else []
    with failing_as(f"failed to read from device {address:#04x}"):
        bus.i2c_rdwr(*asked, answer)
    data = list(answer)
    result = {
        "bus": path,
        "address": f"{address:#04x}",
        "bytes": data,
        "hex": hexadecimal(data),
        "length": len(data),
    }
    return ToolAnswer(json.dumps(result), f"{len(data)} bytes from {address:#04x}")


def _write(smbus: Any, bus: Any, path: str, given: Mapping[str, Any]) -> ToolAnswer:
    address = given["address"]
    _addressed(bus, address)
    register = [given["register"]] if "register" in given else []
    data = [*register, *given["data"]]
    with failing_as(f"failed to write to device {address:#04x}"):
        bus.i2c_rdwr(smbus.i2c_msg.write(address, data))
    said = f"Wrote {len(data)} byte(s) to device {address:#04x} on {path}"
    return ToolAnswer(said, said)


_ACTS: Mapping[str, Callable[[Any, Any, str, Mapping[str, Any]], ToolAnswer]] = {
    "scan": _scan,
    "read": _read,
    "write": _write,
}
_I2C = BusKind(
    name="i2c",
    description="Find, read and write devices on an I2C bus. Actions: detect, scan (bus), read "
    "(bus, address, register, length), write (bus, address, register, data, confirm).",
    actions=ACTIONS,
    writes="write",
    parameters={"bus": "string", "address": "integer", "register": "integer"},
    place="i2c-",
    key="bus",
    found="I2C bus(es)",
    nothing=NO_BUS,
    module="smbus2",
    check=checked_i2c,
    wanted=_wanted,
    act=_act,
)

"""The tools `i2c` and `spi`: devices on buses of the machine, those that the user's settings name.

The input of a call is checked before a person is asked and before anything is opened; what changes
a device is asked for each time. smbus2 and spidev are imported in the call only.
"""

from __future__ import annotations

import errno
import importlib
import json
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from llmwiki.chat.tools.tool_context import ToolContext
from llmwiki.core.errors import InputError, PolicyError, StateError
from llmwiki.core.tool_declaration import Effect, Tool, ToolAnswer

FIRST, FIRST_SCANNED, LAST = 0x03, 0x08, 0x77
"""Addresses of 7 bits that devices may have on I2C."""
MAX_I2C, MAX_SPI = 256, 4096
"""Bytes of one transfer."""
_QUICK, _READ_BYTE = 0x10000, 0x20000
"""What an I2C adapter can do, as bits of its functions."""


def _demand(is_right: object, wrong: str) -> None:
    """Raises InputError where something is not right."""
    if not is_right:
        raise InputError(wrong)


def _within(value: object, low: int, high: int) -> bool:
    """Whether a value is a whole number from `low` to `high`; `true` is none."""
    return type(value) is int and low <= value <= high


def _data(given: Mapping[str, Any], action: str, most: int, transfer: str) -> list[int]:
    data = given.get("data")
    missing = f"data is required for {action} (array of byte values 0-255)"
    _demand(isinstance(data, list) and data, missing)
    assert isinstance(data, list)
    _demand(len(data) <= most, f"data too long: maximum {most} bytes per {transfer}")
    for n, byte in enumerate(data):
        _demand(type(byte) is int, f"data[{n}] is not a valid byte value")
        _demand(0 <= byte <= 255, f"data[{n}] = {byte} is out of byte range (0-255)")
    return data


def _bytes(name: str, data: list[int]) -> dict[str, Any]:
    return {name: data, "hex": [f"{byte:#04x}" for byte in data], "length": len(data)}


@contextmanager
def _failing_as(what: str, hint: str = "") -> Iterator[None]:
    """While it lasts, what the system refuses is raised as a StateError that says `what`."""
    try:
        yield
    except OSError as error:
        raise StateError(f"{what}: {error}{hint}") from error


class _I2C:
    actions = ("detect", "scan", "read", "write")
    """The first one lists what the machine has, and opens nothing."""
    writes = "write"
    """The action that changes a device; `confirm` is said where that is not confirmed."""
    confirm = (
        "write operations require confirm: true. Please confirm with the user before writing to I2C"
        " devices, as incorrect writes can misconfigure hardware."
    )
    description = (
        "Find, read and write devices on an I2C bus. Actions: detect, scan (bus), read (bus,"
        " address, register, length), write (bus, address, register, data, confirm)."
    )
    parameters = ("bus", "address", "register")
    """Beside those that every bus has."""
    place = "i2c-"
    """How the names of its device files begin."""
    listed = (
        "bus",
        "I2C bus(es)",
        "No I2C buses found. You may need to:\n1. Load the i2c-dev module: modprobe i2c-dev\n"
        "2. Check that I2C is enabled in device tree\n"
        "3. Configure pinmux for your board (see hardware skill)",
    )
    """What a device file is called in the list of them, what there are so many of, and what is said
    where there is none."""
    module = "smbus2"

    def checked(self, action: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The input of a call that is no list. Raises InputError."""
        bus, address, length = given.get("bus"), given.get("address"), given.get("length", 1)
        _demand(isinstance(bus, str) and bus, 'bus is required (e.g. "1" for /dev/i2c-1)')
        invalid = 'invalid bus identifier: must be a number (e.g. "1")'
        _demand(re.fullmatch("[0-9]{1,4}", str(bus)), invalid)
        if action == "scan":
            return {"bus": bus}
        _demand(type(address) is int, "address is required (e.g. 0x38 for AHT20)")
        _demand(_within(address, FIRST, LAST), "address must be in valid 7-bit range (0x03-0x77)")
        checked = {"bus": bus, "address": address}
        if action == "read":
            _demand(_within(length, 1, MAX_I2C), "length must be between 1 and 256")
            checked["length"] = length
        else:
            checked["data"] = _data(given, "write", MAX_I2C, "I2C transaction")
        if "register" in given:
            register = given["register"]
            _demand(_within(register, 0, 0xFF), "register must be between 0x00 and 0xFF")
            checked["register"] = register
        return checked

    def wanted(self, given: Mapping[str, Any]) -> str:
        """What a call reaches, as the user's setting names it."""
        bus: str = given["bus"]
        return bus if given["action"] == "scan" else f"{bus}:{given['address']:#04x}"

    def act(self, module: Any, given: Mapping[str, Any]) -> ToolAnswer:
        path = f"/dev/i2c-{given['bus']}"
        with _failing_as(f"failed to open {path}", " (check permissions and i2c-dev module)"):
            bus = module.SMBus(int(given["bus"]))
        try:
            is_scan = given["action"] == "scan"
            return _scan(bus, path) if is_scan else _moved(module.i2c_msg, bus, path, given)
        finally:
            bus.close()


def probe_of(address: int, *, has_quick: bool) -> str:
    """How an address is asked whether a device is there: `quick`, `read_byte` or `none`.

    A quick write may damage what memories at 0x30-0x37 and 0x50-0x5f hold.
    """
    if not FIRST_SCANNED <= address <= LAST:
        return "none"
    is_memory = 0x30 <= address <= 0x37 or 0x50 <= address <= 0x5F
    return "read_byte" if is_memory or not has_quick else "quick"


def _scan(bus: Any, path: str) -> ToolAnswer:
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
        row = {"address": f"{address:#04x}"}
        try:
            _ = bus.write_quick(address) if probe == "quick" else bus.read_byte(address)
        except OSError as error:
            if error.errno != errno.EBUSY:
                continue
            row["status"] = "busy (in use by kernel driver)"
        found.append(row)
    if not found:
        said = f"No devices found on {path}. Check wiring and pull-up resistors."
        return ToolAnswer(said, "no devices")
    result = {"bus": path, "devices": found, "count": len(found)}
    return ToolAnswer(f"Scan of {path}:\n{json.dumps(result, indent=2)}", f"{len(found)} devices")


def _moved(messages: Any, bus: Any, path: str, given: Mapping[str, Any]) -> ToolAnswer:
    """Bytes read from a device on I2C, or written to it."""
    address, where = given["address"], f"{given['address']:#04x}"
    register = [given["register"]] if "register" in given else []
    with _failing_as(f"failed to set I2C address {where}"):
        # Where a driver of the kernel has the device a transfer would not say so.
        bus._set_address(address)
    if given["action"] == "write":
        data = [*register, *given["data"]]
        with _failing_as(f"failed to write to device {where}"):
            bus.i2c_rdwr(messages.write(address, data))
        said = f"Wrote {len(data)} byte(s) to device {where} on {path}"
        return ToolAnswer(said, said)
    answer = messages.read(address, given["length"])
    with _failing_as(f"failed to read from device {where}"):
        bus.i2c_rdwr(*([messages.write(address, register)] if register else []), answer)
    result = {"bus": path, "address": where, **_bytes("bytes", list(answer))}
    return ToolAnswer(json.dumps(result), f"{result['length']} bytes from {where}")


class _SPI:
    actions = ("list", "transfer", "read")
    writes = "transfer"
    confirm = (
        "transfer operations require confirm: true. Please confirm with the user before sending"
        " data to SPI devices."
    )
    description = (
        "Read from and write to devices on an SPI bus. Actions: list, transfer (device, data,"
        " confirm), read (device, length); with speed, mode and bits."
    )
    parameters = ("device", "speed", "mode", "bits")
    place = "spidev"
    listed = (
        "device",
        "SPI device(s)",
        "No SPI devices found. You may need to:\n1. Enable SPI in device tree\n2. Configure pinmux"
        " for your board (see hardware skill)\n3. Check that spidev module is loaded",
    )
    module = "spidev"

    def checked(self, action: str, given: Mapping[str, Any]) -> dict[str, Any]:
        device, length = given.get("device"), given.get("length")
        missing = 'device is required (e.g. "2.0" for /dev/spidev2.0)'
        _demand(isinstance(device, str) and device, missing)
        invalid = 'invalid device identifier: must be in format "X.Y" (e.g. "2.0")'
        _demand(re.fullmatch(r"[0-9]{1,4}\.[0-9]{1,4}", str(device)), invalid)
        usual = {"speed": 1_000_000, "mode": 0, "bits": 8}
        checked = {"device": device, **{name: given.get(name, usual[name]) for name in usual}}
        is_fast = _within(checked["speed"], 1, 125_000_000)
        _demand(is_fast, "speed must be between 1 Hz and 125 MHz")
        _demand(_within(checked["mode"], 0, 3), "mode must be 0-3")
        _demand(_within(checked["bits"], 1, 32), "bits must be between 1 and 32")
        if action == "read":
            _demand(_within(length, 1, MAX_SPI), "length is required for read (1-4096)")
            return {**checked, "data": [0] * int(str(length))}
        return {**checked, "data": _data(given, "transfer", MAX_SPI, "SPI transfer")}

    def wanted(self, given: Mapping[str, Any]) -> str:
        return str(given["device"])

    def act(self, module: Any, given: Mapping[str, Any]) -> ToolAnswer:
        path = f"/dev/spidev{given['device']}"
        bus, _, chip = given["device"].partition(".")
        device = module.SpiDev()
        with _failing_as(f"failed to open {path}", " (check permissions and spidev module)"):
            device.open(int(bus), int(chip))
        try:
            with _failing_as(f"failed to set SPI mode {given['mode']}"):
                device.mode = given["mode"]
                device.bits_per_word = given["bits"]
                device.max_speed_hz = given["speed"]
            with _failing_as(f"SPI {given['action']} failed"):
                received = list(device.xfer2(list(given["data"])))
        finally:
            device.close()
        told = _bytes("bytes", received)
        if given["action"] == "transfer":
            told = {"sent": len(given["data"]), "received": received, "hex": told["hex"]}
        return ToolAnswer(
            json.dumps({"device": path, **told}), f"{len(received)} bytes from {path}"
        )


BUSES: Mapping[str, _I2C | _SPI] = {"i2c": _I2C(), "spi": _SPI()}


def bus_tool(
    name: str,
    allowed: Collection[str],
    load: Callable[[str], Any] = importlib.import_module,
    find: Callable[[str], Sequence[str]] | None = None,
    system: str = sys.platform,
) -> Tool:
    """The tool `i2c` or `spi`.

    `allowed` is what the user's setting `chat.NAME` lists: of I2C `BUS` (which may be scanned) and
    `BUS:ADDRESS`, of SPI devices such as `2.0`. `load` gives a module, `find` the device files
    whose names begin with a text.
    """
    bus = BUSES[name]
    named = {_normal(entry.strip()) for entry in allowed}

    def check(given: Mapping[str, Any]) -> dict[str, Any]:
        action = given.get("action")
        _demand(isinstance(action, str) and action, "action is required")
        valid = ", ".join(bus.actions)
        _demand(action in bus.actions, f"unknown action: {action} (valid: {valid})")
        _demand(action != bus.writes or given.get("confirm") is True, bus.confirm)
        more = bus.checked(str(action), given) if action != bus.actions[0] else {}
        return {"action": action, **more}

    def reached(given: Mapping[str, Any]) -> Any:
        """The module by which a device is reached; None for the list of what there is."""
        if not system.startswith("linux"):
            needs = f"This tool requires /dev/{bus.place}* device files."
            raise StateError(f"{name.upper()} is only supported on Linux. {needs}")
        if given["action"] == bus.actions[0]:
            return None
        if bus.wanted(given) not in named:
            raise PolicyError(
                f"the user's settings do not name {bus.wanted(given)}",
                fix=f"chat.{name} in the user's own configuration lists what may be reached.",
            )
        try:
            return load(bus.module)
        except ImportError as error:
            fix = 'Install it: pip install "git-llmwiki[hardware]"'
            raise StateError(f"{bus.module} is not installed", fix=fix) from error

    def run(_by: ToolContext, **given: Any) -> ToolAnswer:
        module = reached(given)
        return bus.act(module, given) if module else _listed(bus, (find or _devices)(bus.place))

    def preview(_by: ToolContext, **given: Any) -> str:
        reached(given)
        return json.dumps(given, ensure_ascii=False, indent=2)

    def effect(_by: ToolContext, action: str, **_given: Any) -> Effect:
        return "hardware" if action == bus.writes else "read"

    types: Mapping[str, dict[str, Any]] = {
        "action": {"type": "string", "enum": list(bus.actions)},
        **{
            key: {"type": "string" if n == 0 else "integer"} for n, key in enumerate(bus.parameters)
        },
        "data": {"type": "array", "items": {"type": "integer"}},
        "length": {"type": "integer"},
        "confirm": {"type": "boolean"},
    }
    declared = (types, ("action",))
    more: dict[str, Any] = {"check": check, "preview": preview, "effect_of": effect}
    return Tool(name, run, lambda: declared, bus.description, **more)


def _normal(entry: str) -> str:
    """`1:56` and `1:0x38` are one."""
    bus, _, address = entry.partition(":")
    try:
        return f"{bus}:{int(address, 0):#04x}" if address else bus
    except ValueError:
        return entry


def _devices(place: str) -> tuple[str, ...]:
    return tuple(sorted(path.as_posix() for path in Path("/dev").glob(f"{place}*")))


def _listed(bus: _I2C | _SPI, paths: Sequence[str]) -> ToolAnswer:
    key, many, nothing = bus.listed
    if not paths:
        return ToolAnswer(nothing, "nothing found")
    rows = [{"path": path, key: path.removeprefix(f"/dev/{bus.place}")} for path in paths]
    said = f"Found {len(rows)} {many}"
    return ToolAnswer(f"{said}:\n{json.dumps(rows, indent=2)}", said)

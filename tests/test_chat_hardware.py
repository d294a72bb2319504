"""i2c and spi: what is refused before anything is opened, and what goes over the wire."""

from __future__ import annotations

import errno
import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from llmwiki.chat.tools.hardware import bus_tool, probe_of
from llmwiki.chat.tools.tool_context import ToolContext
from llmwiki.core.errors import InputError, PolicyError, StateError, WikiError
from llmwiki.core.tool_declaration import Tool

VECTORS = json.loads((Path(__file__).parent / "data" / "chat_vectors.json").read_text("utf-8"))
AT = ToolContext(None, session="s", turn=1)  # type: ignore[arg-type]


def vectors(*areas: str) -> list[Any]:
    return [pytest.param(each, id=each["id"]) for area in areas for each in VECTORS[area]]


def unfolded(value: Any) -> Any:
    if isinstance(value, dict) and "$repeat" in value:
        what, count = value["$repeat"]
        return what * count
    return {k: unfolded(v) for k, v in value.items()} if isinstance(value, dict) else value


class Machine:
    """The modules smbus2 and spidev of a machine that is none; every call is told."""

    def __init__(  # noqa: C901 - the fakes of two modules
        self,
        *,
        acks: Any = (),
        busy: Any = (),
        has_quick: bool = True,
        has_read_byte: bool = True,
        returns: Any = (),
        denied: bool = False,
    ) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.acks, self.busy, self.returns = set(acks), set(busy), list(returns)
        self.functions = 0x10000 * has_quick + 0x20000 * has_read_byte
        self.denied = denied
        machine = self

        class SMBus:
            def __init__(self, bus: int) -> None:
                if machine.denied:
                    raise PermissionError(errno.EACCES, "Permission denied")
                machine.told.append(("open", bus))
                self.funcs = machine.functions

            def _asked(self, kind: str, address: int) -> int:
                machine.told.append((kind, address))
                if address in machine.busy:
                    raise OSError(errno.EBUSY, "busy")
                if kind != "address" and address not in machine.acks:
                    raise OSError(errno.ENXIO, "nobody")
                return 0

            def write_quick(self, address: int) -> int:
                return self._asked("quick", address)

            def read_byte(self, address: int) -> int:
                return self._asked("read_byte", address)

            def _set_address(self, address: int) -> None:
                self._asked("address", address)

            def i2c_rdwr(self, *messages: Any) -> None:
                for message in messages:
                    machine.told.append((message.kind, message.address, list(message)))

            def close(self) -> None:
                machine.told.append(("close",))

        class Message(list[int]):
            kind = ""
            address = 0

            @classmethod
            def of(cls, kind: str, address: int, data: list[int]) -> Message:
                made = cls(data)
                made.kind, made.address = kind, address
                return made

        class SpiDev:
            mode = bits_per_word = max_speed_hz = 0

            def open(self, bus: int, chip: int) -> None:
                machine.told.append(("open", bus, chip))

            def xfer2(self, data: list[int]) -> list[int]:
                told = (self.max_speed_hz, self.mode, self.bits_per_word, data)
                machine.told.append(("transfer", *told))
                return machine.returns or [0] * len(data)

            def close(self) -> None:
                machine.told.append(("close",))

        self.SMBus, self.SpiDev = SMBus, SpiDev
        self.i2c_msg = SimpleNamespace(
            read=lambda address, _length: Message.of("read", address, machine.returns),
            write=lambda address, data: Message.of("write", address, data),
        )

    def i2c(self, *allowed: str, **more: Any) -> Tool:
        return bus_tool("i2c", allowed, load=lambda _name: self, system="linux", **more)

    def spi(self, *allowed: str, **more: Any) -> Tool:
        return bus_tool("spi", allowed, load=lambda _name: self, system="linux", **more)


def run(tool: Tool, args: dict[str, Any]) -> str:
    return tool.run(AT, **tool.checked(args)).text


@pytest.mark.parametrize("vector", vectors("i2c_validate", "spi_validate"))
def test_what_is_checked_before_anything_is_opened(vector: Any) -> None:
    tool = bus_tool(vector["id"][:3], ())
    given, expected = unfolded(vector["input"])["args"], vector["expected"]
    if expected["valid"]:
        tool.checked(given)
        return
    with pytest.raises(InputError) as refused:
        tool.checked(given)
    assert refused.value.what == expected["error"]


@pytest.mark.parametrize("vector", vectors("i2c_probe"))
def test_how_an_address_is_probed(vector: Any) -> None:
    given = vector["input"]
    found = probe_of(given["address"], has_quick=given["has_quick"])
    assert found == vector["expected"]["probe"]


@pytest.mark.parametrize("vector", vectors("i2c_scan"))
def test_a_scan(vector: Any) -> None:
    given, expected = dict(vector["input"]), vector["expected"]
    machine = Machine(**{name: value for name, value in given.items() if name != "bus"})
    args = {"action": "scan", "bus": given["bus"]}
    if "error" in expected:
        with pytest.raises(StateError) as refused:
            run(machine.i2c("1"), args)
        assert refused.value.what == expected["error"]
        return
    text = run(machine.i2c("1"), args)
    if "text" in expected:
        assert text == expected["text"]
        return
    prefix, rest = text[: len(expected["prefix"])], text[len(expected["prefix"]) :]
    assert (prefix, json.loads(rest)) == (expected["prefix"], expected["result"])


@pytest.mark.parametrize("vector", vectors("i2c_detect", "spi_list"))
def test_what_is_there(vector: Any) -> None:
    given, expected = vector["input"]["devices"], vector["expected"]
    is_i2c = vector["id"].startswith("i2c")
    machine = Machine()
    tool = (machine.i2c if is_i2c else machine.spi)(find=lambda _place: given)
    text = run(tool, {"action": "detect" if is_i2c else "list"})
    if "text" in expected:
        assert text == expected["text"]
    else:
        assert text.startswith(expected["prefix"])
        assert json.loads(text.removeprefix(expected["prefix"])) == expected["json"]


@pytest.mark.parametrize("vector", vectors("i2c_wire", "spi_wire", "spi_defaults"))
def test_what_goes_over_the_wire(vector: Any) -> None:
    args, expected = vector["input"]["args"], vector["expected"]
    machine = Machine(returns=vector["input"].get("device_returns", []))
    is_i2c = vector["id"].startswith("i2c")
    tool = machine.i2c("1:0x38") if is_i2c else machine.spi("0.1", "2.0")
    text = run(tool, args)
    if "message" in expected:
        assert text == expected["message"]
        assert ("write", 0x38, expected["bytes"]) in machine.told
    if "result" in expected:
        assert json.loads(text) == expected["result"]
    if "writes" in expected:
        assert [told[2] for told in machine.told if told[0] == "write"] == expected["writes"]
    if "tx" in expected:
        wanted = (expected["speed"], expected["mode"], expected["bits"], expected["tx"])
        assert ("transfer", *wanted) in machine.told
    assert machine.told[-1] == ("close",)


@pytest.mark.parametrize("vector", vectors("hardware_platform"))
def test_other_systems_get_a_sentence(vector: Any) -> None:
    tool = bus_tool(vector["input"]["tool"], (), system=vector["input"]["os"])
    with pytest.raises(StateError) as refused:
        run(tool, {"action": "detect" if tool.name == "i2c" else "list"})
    assert refused.value.what == vector["expected"]["error"]


@pytest.mark.parametrize(
    "args",
    [
        {"action": "scan", "bus": "2"},
        {"action": "read", "bus": "1", "address": 0x39},
        {"action": "read", "bus": "2", "address": 0x38},
        {"action": "write", "bus": "1", "address": 0x39, "data": [1], "confirm": True},
    ],
)
def test_what_the_user_did_not_name_is_not_opened(args: dict[str, Any]) -> None:
    machine = Machine(acks=range(128))
    with pytest.raises(PolicyError, match="settings do not name"):
        run(machine.i2c("1", "1:0x38"), args)
    with pytest.raises(PolicyError, match="settings do not name"):
        run(machine.spi("0.0"), {"action": "read", "device": "0.1", "length": 1})
    assert machine.told == []


def test_failures_of_devices_are_told() -> None:
    read = {"action": "read", "bus": "1", "address": 0x38}
    with pytest.raises(StateError, match=r"failed to open /dev/i2c-1: .*check permissions"):
        run(Machine(denied=True).i2c("1:56"), read)
    with pytest.raises(StateError, match="failed to set I2C address 0x38"):
        run(Machine(busy=[0x38]).i2c("1:56"), read)


def test_a_write_is_asked_for_whatever_the_model_says() -> None:
    """Of any input that passes, one that writes has the effect that a person is asked for."""
    chance = random.Random(7)
    machine = Machine(acks=range(128))
    tools = (machine.i2c("1", "1:0x38"), machine.spi("0.0"))
    values: dict[str, list[Any]] = {
        "action": ["detect", "scan", "read", "write", "list", "transfer", "", 5],
        "bus": ["1", "2", "", 1],
        "device": ["0.0", "0.1", "x"],
        "address": [0x38, 0x39, -1, True, "56"],
        "register": [0, 255, 256],
        "data": [[1], [], [256], "x"],
        "length": [1, 0, 9000],
        "confirm": [True, False, "true"],
    }
    for _ in range(1_000):
        tool = chance.choice(tools)
        names = chance.sample(sorted(values), chance.randint(1, len(values)))
        args = {name: chance.choice(values[name]) for name in names}
        try:
            given = tool.checked(args)
            assert tool.effect_of
            if tool.effect_of(AT, **given) == "read":
                tool.run(AT, **given)
        except WikiError:
            continue
    sent = [told for told in machine.told if told[0] in ("write", "transfer")]
    assert all(told[0] == "write" and len(told[2]) == 1 for told in sent if told[0] == "write")
    assert all(not any(told[-1]) for told in sent if told[0] == "transfer")


def test_nobody_is_asked_about_what_cannot_be_written() -> None:
    machine = Machine(acks=range(128))
    write = {"action": "write", "bus": "1", "address": 0x39, "data": [1], "confirm": True}
    for tool, says in (
        (machine.i2c("1", "1:0x38"), "do not name"),
        (bus_tool("i2c", ["1:0x39"], load=_missing, system="linux"), "not installed"),
        (bus_tool("i2c", ["1:0x39"], system="darwin"), "only supported on Linux"),
    ):
        assert tool.preview
        with pytest.raises(WikiError, match=says):
            tool.preview(AT, **tool.checked(write))
    named = machine.i2c("1:0x39").preview
    assert named and '"address": 57' in named(AT, **machine.i2c("1:0x39").checked(write))
    assert machine.told == []


def _missing(name: str) -> Any:
    raise ImportError(name)

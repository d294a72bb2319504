"""The only caller of a model: calls that either give a whole, checked answer or an error.

Every call is streamed (a long answer would time out otherwise) and without sampling parameters. A
model may be offered tools; whoever calls it runs them and gives their results with the next call.
Time-outs of single requests are the SDK's; this adds calls made again after what passes (the SDK
would wait as long as a server asks it to), budgets, bounds of a call, and the rule that an answer
counts only after `message_stop` with an expected stop reason.
"""

from __future__ import annotations

import re
import ssl
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from llmwiki.core.errors import ModelOutputError, PolicyError, ProviderError
from llmwiki.models.errors import (
    BROKEN,
    NOT_MESSAGES,
    STALLED,
    from_sdk,
    is_transient,
    no_pictures,
    said_by,
    scrub,
    tell,
)
from llmwiki.models.json_answers import parse_object
from llmwiki.models.messages import (
    CACHE_CONTROL,
    OUTPUT_CONFIG,
    Delta,
    OfferedTool,
    PictureBlock,
    Reply,
    Restarted,
    TextBlock,
    ToolUse,
    Turn,
    estimate_body,
    repair_turns,
    request_body,
)
from llmwiki.models.model_settings import host_of
from llmwiki.models.stream import (
    CallStopped,
    Deadline,
    StreamDropped,
    StreamedAnswer,
    events_of,
    hooks,
    retry_after,
)
from llmwiki.models.tokens_and_cost import Budget, Usage

if TYPE_CHECKING:
    import anthropic

    from llmwiki.models.model_settings import ModelSettings

_COMPLETE = frozenset({"end_turn", "stop_sequence"})
_NO_FORMAT = re.compile(
    r"output_config|output_format|json_schema|structured output|schema|grammar", re.IGNORECASE
)
_NO_CACHE = re.compile(r"cache_control", re.IGNORECASE)
_NO_TOOLS = re.compile(r"\btools?\b|function.calling", re.IGNORECASE)
_TOOLS_UNKNOWN = re.compile(
    r"(does|do) not support tools|tools? (param|use|calls?|calling)\b.{0,40}"
    r"(requires?|unsupported|not (supported|implemented))",
    re.IGNORECASE,
)
"""What servers say who answer 5xx or 404 to a request that offers tools."""
_RETRY = "run the command again; nothing was written"

Check = Callable[[dict[str, Any]], object]
"""Raises ValueError, saying what is wrong, when the data cannot be used."""


@dataclass
class _Call:
    """One answer that is asked for, with all its attempts."""

    system: Sequence[TextBlock]
    turns: Sequence[Turn]
    deadline: Deadline
    max_tokens: int
    schema: Mapping[str, object] | None = None
    tools: Sequence[OfferedTool] = ()
    endings: Collection[str] = ()
    stop: threading.Event | None = None
    usage: Usage = field(default_factory=Usage)
    """Of all its attempts."""

    def check(self) -> None:
        """Raises CallStopped where the caller has ended it."""
        if self.stop is not None and self.stop.is_set():
            raise CallStopped


class Client:
    """Calls one model. Thread-safe; close it, or use it as a context manager."""

    def __init__(self, settings: ModelSettings, *, budget: Budget | None = None) -> None:
        """The SDK, which takes a second, is loaded for the first call or by `sdk`. Raises
        ProviderError when there is no key and no server that works without one."""
        self.settings = settings
        self._budget = budget
        self._usage = Usage()
        self._unsupported: set[str] = set()
        self._credentials: dict[str, Any] = dict(settings.credentials())
        self._lock = threading.Lock()
        self._made: anthropic.Anthropic | None = None

    def sdk(self) -> anthropic.Anthropic:
        """The SDK's client, loaded and made where it was not. Raises ProviderError."""
        with self._lock:
            if self._made is None:
                self._made = self._connected()
            return self._made

    def _connected(self) -> anthropic.Anthropic:
        import anthropic

        settings = self.settings
        http = anthropic.DefaultHttpxClient(
            follow_redirects=False,
            timeout=self._timeout(settings.call_timeout),
            event_hooks=hooks(host_of(settings.base_url), settings.call_timeout),
            verify=trust(settings.address),
        )
        try:
            return anthropic.Anthropic(
                base_url=settings.address,
                max_retries=0,
                http_client=http,
                **self._credentials,
            )
        except anthropic.AnthropicError as failure:
            http.close()
            raise from_sdk(failure, settings) from None

    @property
    def usage(self) -> Usage:
        """Of every attempt of this client's life, also of those that failed, and of answers that
        were given before and are used now."""
        return self._usage

    def credit(self, usage: Usage) -> None:
        """Adds what an answer took that was given to an earlier client and is used by this one."""
        with self._lock:
            self._usage += usage

    def cost(self, usage: Usage) -> float | None:
        """US dollars for `usage`; None when the price of the model is unknown."""
        price = self.settings.price
        return None if price is None else price.cost(usage)

    @property
    def is_spent(self) -> bool:
        """Whether the budget allows no call any more, however short its prompt."""
        price, budget = self.settings.price, self._budget
        if price is None or budget is None:
            return False
        return budget.spent + price.ceiling(0, self.settings.max_output_tokens) > budget.max_cost

    def close(self) -> None:
        """Close the connections."""
        if self._made is not None:
            self._made.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def structured(
        self,
        system: Sequence[TextBlock],
        user: Sequence[TextBlock | PictureBlock],
        schema: Mapping[str, object],
        name: str,
        *,
        check: Check | None = None,
        stop: threading.Event | None = None,
    ) -> Reply:
        """One answer that is a JSON object of `schema` (see `schema.output_schema`).

        A server that refuses structured outputs is asked for JSON in text instead. An answer that
        is no such object, or that `check` refuses, is sent back once for repair. `name` says in
        messages what the object is; without `check` only its required keys are looked for. Setting
        `stop` ends the call at the next event.

        Raises ModelOutputError for an unusable answer, ProviderError when the call fails,
        PolicyError when the budget does not allow it.
        """
        turns = [Turn("user", tuple(user))]
        call = self._call(system, turns, schema=schema, stop=stop)
        problem = ""
        for _ in range(2):
            *_, reply = self._events(call)
            assert isinstance(reply, Reply)
            try:
                data = parse_object(reply.text)
                if check is None:
                    _require(schema, data)
                else:
                    check(data)
            except ValueError as failure:
                problem = scrub(str(failure), self.settings)
                turns += repair_turns(
                    reply.text, problem, name, schema, max_tokens=self.settings.max_output_tokens
                )
            else:
                return replace(reply, data=data)
        raise ModelOutputError(
            f"the model's {name} cannot be used, also after one repair: {problem}",
            where=self.settings.model,
            fix="run the command again, choose another --model (a small one may keep to no schema),"
            " or let an agent answer (--prepare); nothing was written",
        )

    def text(
        self,
        system: Sequence[TextBlock],
        turns: Sequence[Turn],
        *,
        tools: Sequence[OfferedTool] = (),
        endings: Collection[str] = (),
        stop: threading.Event | None = None,
    ) -> Iterator[Delta | Restarted | Reply]:
        """One answer as it is written; the last event is the Reply, or an error is raised.

        `endings` are stop reasons, such as `max_tokens` and `refusal`, with which an answer counts
        too; one that is cut within the call of a tool never does.

        What was shown before a `Restarted` or an error is not part of any answer. Where `tools` are
        offered the answer may ask for some (`Reply.tool_uses`); then the conversation goes on with
        `Reply.turn` and a user's turn that begins with one `ToolResult` for each.
        """
        yield from self._events(self._call(system, turns, tools=tools, endings=endings, stop=stop))

    def _call(self, system: Sequence[TextBlock], turns: Sequence[Turn], **more: Any) -> _Call:
        settings = self.settings
        deadline = Deadline(settings.call_timeout, host_of(settings.base_url))
        return _Call(system, turns, deadline, settings.max_output_tokens, **more)

    def _body(self, call: _Call) -> dict[str, Any]:
        return request_body(
            self.settings.model,
            call.system,
            call.turns,
            schema=call.schema,
            tools=call.tools,
            max_tokens=call.max_tokens,
            unsupported=self._unsupported,
        )

    def _timeout(self, left: float) -> anthropic.Timeout:
        """How long one read and one connection may take when so many seconds are left."""
        import anthropic

        settings = self.settings
        # The SDK takes a time of 0 for none at all.
        left = max(left, 0.001)
        return anthropic.Timeout(
            min(settings.read_timeout, left), connect=min(settings.connect_timeout, left)
        )

    def _events(self, call: _Call) -> Iterator[Delta | Restarted | Reply]:
        """Attempts until one is complete; see the module for what is made again."""
        settings = self.settings
        call.max_tokens = settings.max_output_tokens
        restarts = 0
        while True:
            answer = StreamedAnswer(takes_tools=bool(call.tools))
            try:
                yield from self._attempt(call, answer)
            except _Unsupported as refused:
                self._unsupported.add(refused.feature)
                continue
            except StreamDropped as drop:
                if restarts == settings.max_retries:
                    raise drop.error from None
                call.deadline.check(drop.wait)
                if answer.content:
                    yield Restarted(str(drop.error.what))
                (call.stop or threading.Event()).wait(
                    drop.wait or settings.retry_delay * 2**restarts
                )
                restarts += 1
                continue
            is_whole = answer.stop_reason in call.endings and not answer.asks_for_tools
            is_first = call.max_tokens == settings.max_output_tokens
            if not is_whole and answer.stop_reason == "max_tokens" and is_first:
                call.max_tokens *= 2
                yield Restarted(f"cut at {settings.max_output_tokens} tokens")
                continue
            if not is_whole:
                _demand_complete(answer, call.max_tokens, settings)
            yield Reply(
                blocks=_blocks(answer, settings),
                usage=call.usage,
                model=answer.model or settings.model,
                stop_reason=str(answer.stop_reason),
            )
            return

    def _attempt(self, call: _Call, answer: StreamedAnswer) -> Iterator[Delta]:
        """One request and its stream, paid for whatever becomes of it."""
        import anthropic
        import httpx2

        request, price = self._body(call), self.settings.price
        call.check()
        reserved = self._reserve(request, call.turns)
        try:
            # It may have been stopped while the reservation had to wait.
            call.check()
            call.deadline.begin()
            sdk = self.sdk().with_options(timeout=self._timeout(call.deadline.left))
            with sdk.messages.create(**request, stream=True) as stream:
                for event in events_of(stream, self.settings):
                    call.check()
                    call.deadline.check()
                    if text := answer.take(event):
                        yield Delta(text)
                    if answer.stopped:
                        break
            answer.finish(self.settings)
        except anthropic.APIStatusError as failure:
            raise self._explain(failure, request) from None
        except anthropic.APIConnectionError as failure:
            raise StreamDropped(from_sdk(failure, self.settings)) from None
        except anthropic.AnthropicError as failure:
            call.deadline.check()
            raise from_sdk(failure, self.settings) from None
        except (httpx2.HTTPError, httpx2.StreamError) as failure:
            is_late = isinstance(failure, httpx2.TimeoutException)
            raise StreamDropped(tell(STALLED if is_late else BROKEN, "", self.settings)) from None
        except (ValueError, RecursionError) as failure:
            detail = f"broken JSON: {type(failure).__name__}"
            raise tell(NOT_MESSAGES, detail, self.settings) from None
        finally:
            call.usage += answer.usage
            self.credit(answer.usage)
            if self._budget is not None and price is not None:
                self._budget.settle(reserved, price.cost(answer.usage))

    def _reserve(self, request: dict[str, Any], turns: Sequence[Turn]) -> float:
        """What a request reserves of the budget; 0.0 without one. Raises PolicyError."""
        tokens = estimate_body(request, turns)
        if tokens > self.settings.max_input_tokens:
            raise _too_long(tokens, self.settings)
        if self._budget is None:
            return 0.0
        return self._budget.reserve(self.settings.price, tokens, request["max_tokens"])

    def _explain(self, failure: anthropic.APIStatusError, request: dict[str, Any]) -> Exception:
        """What a status means here: a feature to do without, a stream to restart, an error."""
        shows = {block["type"] for each in request["messages"] for block in each["content"]}
        if "image" in shows and (unseen := no_pictures(failure, self.settings)):
            return unseen
        if "tools" in request and _is_against_tools(failure):
            return ToolsRefused(str(from_sdk(failure, self.settings)))
        if failure.status_code in {400, 422}:
            said = said_by(failure)
            if OUTPUT_CONFIG in request and _NO_FORMAT.search(said):
                return _Unsupported(OUTPUT_CONFIG)
            if CACHE_CONTROL not in self._unsupported and _NO_CACHE.search(said):
                return _Unsupported(CACHE_CONTROL)
            if request["max_tokens"] > self.settings.max_output_tokens and "max_tokens" in said:
                return _truncated(self.settings.max_output_tokens, self.settings)
        told = from_sdk(failure, self.settings)
        headers = failure.response.headers
        if is_transient(failure) and headers.get("x-should-retry") != "false":
            return StreamDropped(told, retry_after(headers))
        return told


class ToolsRefused(ProviderError):
    """The server takes no requests that offer tools."""


def _is_against_tools(failure: anthropic.APIStatusError) -> bool:
    """Whether a server refuses a request for the tools that it offers."""
    if failure.status_code in {400, 422}:
        return bool(_NO_TOOLS.search(said_by(failure)))
    return failure.status_code in {404, 500, 501} and bool(_TOOLS_UNKNOWN.search(said_by(failure)))


class _Unsupported(Exception):
    """The server refuses a feature we can do without."""

    def __init__(self, feature: str) -> None:
        self.feature = feature
        super().__init__(feature)


def _require(schema: Mapping[str, object], data: Mapping[str, Any]) -> None:
    required = schema.get("required", [])
    missing = [key for key in required if key not in data] if isinstance(required, list) else []
    if missing:
        raise ValueError(f"missing: {', '.join(missing)}")


def _demand_complete(answer: StreamedAnswer, max_tokens: int, settings: ModelSettings) -> None:
    """Raises ModelOutputError unless the model ended its answer itself."""
    reason = answer.stop_reason
    if reason in _COMPLETE or (reason == "tool_use" and answer.takes_tools):
        return
    if reason == "max_tokens":
        raise _truncated(max_tokens, settings)
    if reason == "refusal":
        said = scrub(answer.refusal, settings) or "no category given"
        raise ModelOutputError(
            f"the model refused to answer ({said})",
            where=settings.model,
            fix="choose another --model, or do without one: --model offline",
        )
    if reason == "model_context_window_exceeded":
        raise ModelOutputError(
            "the prompt and the answer do not fit the model's context window",
            where=settings.model,
            fix="use smaller segments, shorten the brand files, or choose another --model",
        )
    raise ModelOutputError(
        f"the model stopped for an unexpected reason ({scrub(str(reason), settings)})",
        where=settings.model,
        fix=_RETRY,
    )


def _blocks(answer: StreamedAnswer, settings: ModelSettings) -> tuple[TextBlock | ToolUse, ...]:
    """The blocks of an answer. Raises ModelOutputError where it asks for what nobody can do."""
    try:
        blocks = answer.done()
        if answer.stop_reason == "tool_use" and all(isinstance(b, TextBlock) for b in blocks):
            raise ValueError("it stopped for a tool and names none")
    except ValueError as failure:
        raise ModelOutputError(
            f"the model's answer cannot be used: {scrub(str(failure), settings)}",
            where=settings.model,
            fix=_RETRY,
        ) from None
    return blocks


def _too_long(tokens: int, settings: ModelSettings) -> PolicyError:
    return PolicyError(
        f"the request has about {tokens} tokens (estimate); at most {settings.max_input_tokens}"
        " are sent",
        where=settings.model,
        fix="use smaller segments or a smaller --budget, shorten the brand files, or raise"
        " model.max_input_tokens in the user configuration",
    )


def _truncated(max_tokens: int, settings: ModelSettings) -> ModelOutputError:
    return ModelOutputError(
        f"the answer was cut at the limit of {max_tokens} output tokens",
        where=settings.model,
        fix="raise model.max_output_tokens in the user configuration, or use smaller segments",
    )


def trust(address: str | None) -> ssl.SSLContext | bool:
    """What the SDK's HTTP client checks certificates with; True: the usual authorities.

    Reading those takes a tenth of a second. A server that is asked over plain HTTP shows no
    certificate, so none are read for it, and this client trusts nobody else's.
    """
    if address is not None and address.lower().startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return True

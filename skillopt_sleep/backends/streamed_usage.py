"""Read from a model's answer, as it passes by, how many tokens it took: Anthropic Messages or OpenAI Responses."""

import json
from typing import Any, cast

from skillopt_sleep.records import Usage

MOST_LINE = 1024 * 1024  # a longer line of a stream is passed on unread
MOST_BODY = 8 * 1024 * 1024  # so is a longer answer that isn't a stream

_DATA = b"data:"


class UsageReader:
    """Is fed an answer piece by piece and knows afterwards what it took, as far as the answer says."""

    def __init__(self, *, is_stream: bool) -> None:
        self._is_stream = is_stream
        self._pending = bytearray()
        self._skipping = False
        self._counts: dict[str, int] = {}
        self.model = ""

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the answer."""
        if not self._is_stream:
            if len(self._pending) + len(data) <= MOST_BODY:
                self._pending += data
            return
        *lines, rest = (bytes(self._pending) + data).split(b"\n")
        self._pending = bytearray(rest)
        for line in lines:
            if self._skipping:
                self._skipping = False  # the end of a line that was too long
            elif line.startswith(_DATA):
                self._read(line[len(_DATA) :])
        if len(self._pending) > MOST_LINE:
            self._skipping = True
            self._pending.clear()

    def usage(self) -> Usage | None:
        """Return the tokens of the whole answer, or None if it named none."""
        if not self._is_stream:
            self._read(bytes(self._pending))
            self._pending.clear()
        if not self._counts:
            return None
        counted = self._counts.get
        # Anthropic counts what was cached apart from the input, OpenAI as a part of it.
        cached = counted("cache_read_input_tokens", 0)
        written = counted("cache_creation_input_tokens", 0)
        return Usage(
            input_tokens=counted("input_tokens", 0) + cached + written,
            output_tokens=counted("output_tokens", 0),
            cached_tokens=cached + counted("cached_tokens", 0),
        )

    def _read(self, data: bytes) -> None:
        """Keep the counts of one event, or of the whole answer; later ones replace earlier ones."""
        try:
            event: Any = json.loads(data)
        except ValueError:
            return
        if not isinstance(event, dict):
            return
        whole = cast("dict[str, Any]", event)
        for place in (whole, whole.get("message"), whole.get("response")):
            if not isinstance(place, dict):
                continue
            found = cast("dict[str, Any]", place)
            if isinstance(found.get("model"), str):
                self.model = found["model"]
            self._count(found.get("usage"))

    def _count(self, usage: object) -> None:
        if not isinstance(usage, dict):
            return
        bill = cast("dict[str, Any]", usage)
        details = bill.get("input_tokens_details")
        if isinstance(details, dict):
            bill = bill | cast("dict[str, Any]", details)
        for name in (
            "input_tokens",
            "output_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "cached_tokens",
        ):
            count = bill.get(name)
            if type(count) is int and count >= 0:
                self._counts[name] = count

"""Effort: what sealed attempts took under both versions of a document, and how much less the new one took."""

from skillopt_sleep.records.effects import tries
from skillopt_sleep.records.record import Record

WORST = -1.0


class Took(Record, frozen=True, kw_only=True):
    """The turns, tokens and seconds of one sealed attempt; without tokens nothing is known of it."""

    turns: int = 0
    tokens: int = 0
    seconds: float = 0.0


def share_saved(before: Took, after: Took) -> float:
    """Return the share of tokens that an attempt saved, in [-1, 1]; of an unknown amount the worst is assumed.

    Both versions are measured by the dearer one of them, so that attempts that differ by chance alone save and waste
    alike, however far their tokens scatter.
    """
    if not after.tokens:
        return WORST
    return (before.tokens - after.tokens) / max(before.tokens, after.tokens)


class Effort(Record, frozen=True, kw_only=True):
    """The means of `n` pairs of sealed attempts at the `requests`, before and after, and the share of tokens `saved`.

    That share is the mean over the pairs, in which an attempt that was graded worse or failed is the worst case. Each
    end of its `interval` is wrong with a probability of at most 5 %. It is about tokens: seconds depend on what else
    the machine does.
    """

    turns: tuple[float, float]
    tokens: tuple[float, float]
    seconds: tuple[float, float]
    saved: float
    interval: tuple[float, float]
    n: int
    requests: int

    @property
    def is_less(self) -> bool:
        """Tell whether the new version took fewer tokens in sum, and no more turns."""
        return self.tokens[1] < self.tokens[0] and self.turns[1] <= self.turns[0]

    @property
    def as_saving(self) -> str:
        """Say what an accepted saving reaches, with its interval and n."""
        low, high = self.interval
        requests = "1 request" if self.requests == 1 else f"{self.requests} requests"
        return (
            f"reaches the same with {100 * self.saved:.0f} % fewer tokens"
            f" (90 % interval {100 * low:.0f} to {100 * high:.0f} %,"
            f" {tries(self.n)} at {requests}), {self._turns}"
        )

    @property
    def in_words(self) -> str:
        """Say what an attempt took on the mean; the seconds are for information."""
        old, new = self.tokens
        before, after = self.seconds
        return f"{self._turns}, {old:,.0f} → {new:,.0f} tokens, {before:.0f} → {after:.0f} s ({tries(self.n)})"

    @property
    def _turns(self) -> str:
        old, new = self.turns
        digits = 0 if max(old, new) >= 10 else 1  # noqa: PLR2004 - tenths of few turns can be told apart
        return f"{old:.{digits}f} → {new:.{digits}f} turns"

"""What sealed attempts of a night were made with, or why none could be."""

from skillopt_sleep.records.record import Record

SEALED_KEY = "sealed-"  # the keys of completed sealed attempts begin with it


class SealedReplay(Record, frozen=True, kw_only=True):
    """The agent and the seal of a night's attempts in copies of repositories.

    Where there are none, `why_not` says why, and `remedy` what helps.
    """

    agent: str = ""
    version: str = ""
    seal: str = ""
    why_not: str = ""
    remedy: str = ""

    @property
    def in_words(self) -> str:
        """Say who acts in what, or why nobody does."""
        if self.why_not:
            return f"Nothing could be tried in a sealed copy of a repository: {self.why_not}"
        version = f" ({self.version})" if self.version else ""
        return f"Attempts in a copy of the repository are made by {self.agent}{version}, sealed by {self.seal}"

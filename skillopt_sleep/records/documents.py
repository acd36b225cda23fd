"""Document: the text being trained."""

import hashlib
from enum import StrEnum

import msgspec

from skillopt_sleep.records.record import Record
from skillopt_sleep.records.sessions import InForce


class DocumentKind(StrEnum):
    """The kinds of documents that are trained."""

    SKILL = "skill"
    MEMORY = "memory"


class Twin(Record, frozen=True, kw_only=True):
    """Another file of the project, for agents that don't read the document: what is learned goes to both.

    `body` is the SHA-256 of the part that is ours, as the document's.
    """

    id: str
    path: str
    body: str = ""
    read_by: tuple[str, ...]


class Document(Record, frozen=True, kw_only=True):
    """The text being trained: edits change only `body`; `lead` and `trail` are the rest of the file, as read.

    `open` and `close` enclose a body that isn't empty: our markers, if the file belongs to the user. `read_by` names
    the agents that get to see the file, `twins` are files for further agents. `loaded` are all files that the agent
    loads in that folder, in its order, the document among them without its text: an attempt is made with all of them.
    `loaded_by` is the source of that agent's sessions. For a document of the person's own, `loaded_at` has what is
    loaded in each of the projects where it is tried, and `loaded` what is loaded in all.
    """

    id: str
    kind: DocumentKind
    path: str
    project: str
    body: str
    lead: str = ""
    trail: str = ""
    open: str = ""
    close: str = ""
    read_by: tuple[str, ...] = ()
    twins: tuple[Twin, ...] = ()
    loaded: tuple[InForce, ...] = ()
    loaded_by: str = ""
    loaded_at: tuple[tuple[str, tuple[InForce, ...]], ...] = ()

    @property
    def text(self) -> str:
        """The whole file as the agent would read it."""
        enclosed = f"{self.open}{self.body}{self.close}" if self.body else ""
        return f"{self.lead}{enclosed}{self.trail}"

    @property
    def others(self) -> tuple[InForce, ...]:
        """The other files that the agent loads."""
        return tuple(file for file in self.loaded if file.path != self.path)

    def tried_in(self, project: str) -> "Document":
        """Return the document with what the agent loads in this project."""
        return msgspec.structs.replace(self, loaded=dict(self.loaded_at).get(project, self.loaded))

    @property
    def sha(self) -> str:
        """SHA-256 of the whole text, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def body_sha(self) -> str:
        """SHA-256 of the part that is ours, in hex."""
        return hashlib.sha256(self.body.encode()).hexdigest()

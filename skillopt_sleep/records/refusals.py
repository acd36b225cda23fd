"""Guard: the reasons to refuse a text, and what a text that passes is flagged for."""

from enum import StrEnum
from typing import Literal

from skillopt_sleep.records.record import Record


class RefusalKind(StrEnum):
    """Why the static guard refuses a text; the user's `guard.allow` lists reasons to accept anyway."""

    EMPTY = "empty"
    LENGTH = "length"
    CODE_BLOCK = "code-block"
    HTML = "html"
    LINK = "link"
    IMAGE = "image"
    NESTING = "nesting"
    ADDRESS = "address"
    IMPORT = "import"
    BLANK_RUN = "blank-run"
    MARK_RUN = "mark-run"
    BLOB = "blob"
    FETCH_AND_RUN = "fetch-and-run"
    INSTALL = "install"
    DELETE = "delete"
    PERMISSION = "permission"
    LOAD_COMMAND = "load-command"
    FRONTMATTER = "frontmatter"
    MARKER = "marker"
    INVISIBLE = "invisible"
    SECRET = "secret"  # noqa: S105 - a reason, not a password


# No setting allows these: an empty text says nothing, a marker would break our block, a command that runs when the
# file is loaded asks nobody, nobody can agree to what they can't see, and secrets must not spread.
NEVER_ALLOWED = frozenset(
    {
        RefusalKind.EMPTY,
        RefusalKind.MARKER,
        RefusalKind.LOAD_COMMAND,
        RefusalKind.INVISIBLE,
        RefusalKind.SECRET,
    }
)
AllowedRefusal = Literal[
    "length",
    "code-block",
    "html",
    "link",
    "image",
    "nesting",
    "address",
    "import",
    "blank-run",
    "mark-run",
    "blob",
    "fetch-and-run",
    "install",
    "delete",
    "permission",
    "frontmatter",
]


class WarningKind(StrEnum):
    """The kinds of rule that a person should read twice before they adopt it.

    Or it names something that is missing in the project.
    """

    TESTS = "tests"
    PERMISSIONS = "permissions"
    FORCE = "force"
    SECRETS = "secrets"
    GRADING = "grading"
    CONCEALING = "concealing"
    COPYING = "copying"
    MISSING = "missing"


class RuleWarning(Record, frozen=True, kw_only=True):
    """A line of a proposed rule, and the sensitive thing that it touches; `because` says what is missing."""

    kind: WarningKind
    line: str
    because: str = ""

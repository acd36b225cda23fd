"""A home in which a proposal of three rules waits, and a person who goes through them at a terminal."""

import re
import sqlite3
from contextlib import closing

from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.proposals.divide import restaged
from skillopt_sleep.proposals.stage import write_files
from skillopt_sleep.records import Edit, EditOp, Proposal
from tests.command import Home
from tests.pressed import Pressed

KEYS = "q quit"
MORE = ("- Be brief.", "- Answer in English.")
_DAYS = re.compile(r"sessions, [^;]*;")
_AGO = re.compile(r"\d+ (?:second|minute|hour|day)s? ago|just now")


def with_three_rules(home: Home) -> None:
    """The proposal gets two more edits, which no trial was of."""
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        ((body,),) = store.execute("SELECT body FROM proposals").fetchall()
        proposal = from_json(body, Proposal)
        more = [Edit(op=EditOp.APPEND, content=content, lessons=proposal.lessons) for content in MORE]
        edits = (*proposal.edits, *more)
        store.execute("UPDATE proposals SET body = ?", [to_json(replace(proposal, edits=edits))])


def adopted_whole(home: Home) -> None:
    """A proposal of three rules is adopted as one."""
    staged_whole(home)
    assert home.command("adopt", "--all").code == 0


def staged_whole(home: Home) -> None:
    """A proposal of three rules waits, with the texts of all three."""
    with_three_rules(home)
    (folder,) = (home.folder / "sleep" / "data" / "nights").glob("*/proposals/P-0001")
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        ((body,),) = store.execute("SELECT body FROM proposals").fetchall()
        proposal, texts = restaged(from_json(body, Proposal), folder)
        write_files(folder, proposal, texts)
        store.execute("UPDATE proposals SET body = ?", [to_json(proposal)])


def editor(home: Home, line: str) -> dict[str, str]:
    """The setting of an editor that replaces the text by this line; "" saves nothing."""
    script = home.folder / "my editor"
    script.write_text(f"#!/bin/sh\nprintf '%s\\n' '{line}' > \"$1\"\n" if line else "#!/bin/sh\ntrue\n")
    script.chmod(0o700)
    return {"EDITOR": f"'{script}'"}


def states(home: Home) -> dict[str, str]:
    """The state of each proposal."""
    return {row["id"]: row["state"] for row in home.command("review", "--show", "--json").json}


def rules(home: Home) -> list[str]:
    """The rules in the project's file."""
    text = (home.project / "CLAUDE.md").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.startswith("- ")]


def screens(pressed: Pressed) -> str:
    """The screens that were shown, without the times that depend on the day."""
    kept: list[str] = []
    shows = False
    for line in pressed.shown.splitlines():
        shows = shows or bool(re.match(r"\d+ of \d+$", line.rstrip()))
        if shows:
            kept.append(_DAYS.sub("sessions, 4–22 Nov;", _AGO.sub("2 days ago", line)).rstrip())
        if line.startswith("y yes"):
            kept.append("")
            shows = False
    return "\n".join(kept)

"""Let a person put a proposed rule into their own words, in their editor."""

from skillopt_sleep.cli.console import say
from skillopt_sleep.cli.editor import in_editor
from skillopt_sleep.cli.settled import settled
from skillopt_sleep.deciding import reword as rewording
from skillopt_sleep.deciding.stored import opened
from skillopt_sleep.proposals.reword import wording
from skillopt_sleep.records import Proposal
from skillopt_sleep.settings import find_paths, load

_FROM_HERE = "<!-- Save and close"
_HELP = f"""
{_FROM_HERE} to keep your words; close without saving to keep the old ones. What is from this line on is left
out. Your words replace the rule. They haven't been tested. -->
"""


def edited(proposal: Proposal) -> str:
    """Let the person edit the rule of a proposal; return the id of what waits in its place, "" if nothing changed."""
    text = wording(proposal)
    with in_editor(f"{proposal.id}.md", f"{text}\n{_HELP}") as path:
        if path is None:
            say("Nothing was changed.")
            return ""
        words = path.read_text(encoding="utf-8", errors="replace").partition(_FROM_HERE)[0].strip("\n")
        with opened() as store, settled(store):
            own = rewording.reword(store, proposal.id, words, settings=load(find_paths()))
    say(f"Your words wait as {own.id}, in place of {proposal.id}.")
    return own.id


def test_again(proposal: str) -> None:
    """Let the next night test the person's own words."""
    with opened() as store:
        rewording.test_again(store, proposal)

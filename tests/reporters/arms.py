"""What a night leaves of attempts without a rule and with it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import CommandRun, NightReport, Proposal, Split, Trajectory
from tests.builders import a_document, a_proposal, a_report, a_rollout, a_task, an_edit, an_outcome

DOCUMENT = a_document()
CHANGED = a_document("- Run the linter.")
DIFF = "diff --git a/app.py b/app.py\n--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-old\n+new\n"
WITHOUT = Trajectory(response="Done.", seal="bubblewrap", changed_files=("app.py",), diff=DIFF, turns=2)
WITH = Trajectory(
    response="Done, and linted.",
    seal="bubblewrap",
    commands=(CommandRun(text="make lint", status=0, output="clean"),),
    changed_files=("app.py",),
    diff=DIFF,
    checked=CommandRun(text="python3 -m pytest tests", status=1, output="== 3 failed, 9 passed in 1.2s =="),
    turns=3,
)


class Arms(NamedTuple):
    """A request that was tried: what happened without the rule and with it, and the grades."""

    before: Trajectory = WITHOUT
    after: Trajectory = WITH
    grades: tuple[float | None, float | None] = (0.0, 1.0)
    prompt: str = "make it new"


def tried(folder: Path, *pairs: Arms, splits: Sequence[Split] = ()) -> tuple[Proposal, NightReport]:
    """The proposal and the report of a night that tried these requests, with what it left in its folder."""
    proposal = a_proposal(edits=(an_edit("- Run the linter.", lessons=("l",)),), path=DOCUMENT.path)
    tasks, rollouts = [], []
    for number, pair in enumerate(pairs):
        side = splits[number] if splits else Split.VAL
        tasks.append(a_task(id=f"t{number}", split=side, lesson="l", document=DOCUMENT.id, prompt=pair.prompt))
        arms = zip((pair.before, pair.after), pair.grades, (DOCUMENT.sha, CHANGED.sha), strict=True)
        for trajectory, grade, sha in arms:
            rollouts.append(a_rollout(grade, task=f"t{number}", document_sha=sha, trajectory=trajectory))
    for name, rows in (("tasks", tasks), ("rollouts", rollouts)):
        (folder / f"{name}.jsonl").write_bytes(b"".join(to_json(row) + b"\n" for row in rows))
    outcome = an_outcome(document=DOCUMENT, candidate=CHANGED)
    return proposal, a_report(documents=(outcome,), proposals=(proposal,))

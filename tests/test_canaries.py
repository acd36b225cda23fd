"""A whole night over sessions full of secrets: none reaches the model, the disk or the screen."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

import pytest

from tests.command import ASKS, Home
from tests.kit.secret_samples import SHAPES, Sample, a_sample
from tests.server import ModelServer
from tests.sessions import Exchange, ToolCall, claude_session, codex_session

KINDS = (
    *("anthropic", "aws", "azure-ad", "databricks", "digitalocean", "docker", "github", "gitlab", "google", "groq"),
    *("huggingface", "jwt", "linear", "mailgun", "netlify", "notion", "npm", "openai", "pypi", "sendgrid", "shopify"),
    *("slack", "stripe", "supabase", "vault"),
)
POSITIONS = ("prompt", "said", "command", "path", "branch", "address")


def planted(kind: str, chance: random.Random) -> dict[str, Sample]:
    """A secret of this kind for each place in a session, each of them different."""
    return {position: a_sample(f"{kind} in {position}", SHAPES[kind][0], chance) for position in POSITIONS}


def had_secrets(home: Home, kinds: Sequence[str]) -> list[Sample]:
    """Sessions of both agents in which the same correction came up, with secrets wherever text can stand."""
    chance = random.Random(7)
    found: list[Sample] = []
    start = datetime.now(UTC).replace(microsecond=0) - timedelta(days=3)
    for number, kind in enumerate(kinds):
        secret = planted(kind, chance)
        found += secret.values()
        text = {position: sample.text for position, sample in secret.items()}
        ask, correction = ASKS[number % len(ASKS)]
        folder = home.project / text["path"]
        exchanges = (
            Exchange(
                f"{ask} for part {number}, the key is {text['prompt']}",
                f"Done with npm, and I kept {text['said']} for later.",
                tools=(
                    ToolCall(
                        command=f"npm install --//r.example/:_authToken={text['command']}", output=text["command"]
                    ),
                    ToolCall(path=str(folder / "index.ts"), content=f"export const key = '{text['prompt']}'\n"),
                ),
            ),
            Exchange(f"{correction}; see https://h.example/?token={text['address']}&next=1", "Sorry, changed."),
        )
        write = codex_session if number % 2 else claude_session
        write(
            home.folder / (".codex" if number % 2 else ".claude/projects"), cwd=str(folder), branch=f"fix/{text['branch']}",
            started=start + number * timedelta(hours=1), exchanges=exchanges,
        )  # fmt: skip
        # The project's own files stand in the working directory, not in the folder with the secret in its name.
        write(
            home.folder / (".codex" if number % 2 else ".claude/projects"), cwd=str(home.project),
            branch=f"fix/{text['branch']}", started=start + number * timedelta(hours=1, minutes=1), exchanges=exchanges,
        )  # fmt: skip
    return found


def written(folder: Path) -> dict[Path, str]:
    """All that stands below a folder in a file or in a file's name, apart from the sessions and where they are.

    Claude Code names the folder of a session after its working directory, and the index has to know its files.
    """
    sources = (folder / ".claude", folder / ".codex")
    places = [str(path) for source in sources for path in source.rglob("*.jsonl")]
    found: dict[Path, str] = {}
    for path in folder.rglob("*"):
        if path.is_file() and not any(path.is_relative_to(source) for source in sources):
            text = path.read_bytes().decode("utf-8", "replace")
            for place in places:
                text = text.replace(place, "")
            found[path] = f"{path.relative_to(folder)}\n{text}"
    return found


@dataclass(frozen=True)
class Seen:
    """What came out of a night: what was sent, what was printed, what was written."""

    secrets: Sequence[Sample]
    sent: str
    printed: str
    files: dict[Path, str]

    def leaks(self, *positions: str) -> set[tuple[str, str]]:
        """Each secret of these places that is seen, and where."""
        return {leak for leak in self.all_leaks if leak[0].endswith(positions)}

    @cached_property
    def all_leaks(self) -> set[tuple[str, str]]:
        """Each secret that is seen, and where: every run of characters of the long texts is looked up once."""
        places = {"sent": self.sent, "printed": self.printed} | {str(path): text for path, text in self.files.items()}
        kinds = {run: sample.kind for sample in self.secrets for run in sample.runs}
        found: set[tuple[str, str]] = set()
        for length in {len(run) for run in kinds}:
            for name, text in places.items():
                runs = {text[at : at + length] for at in range(len(text) - length + 1)}
                found |= {(kinds[run], name) for run in kinds.keys() & runs}
        return found


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    home = Home(tmp_path_factory.mktemp("canaries"))
    secrets = had_secrets(home, KINDS)
    with ModelServer() as server:
        night = home.night(server.base_url)
        done = (night, home.command("status"), home.command("report"), home.command("review", "--show", "P-0001"))
        sent = "\n".join(f"{asked.headers}\n{asked.body}" for asked in server.requests)
    assert night.code == 0, night.err
    assert night.json["verdict"] == "improved"
    assert night.json["sessions"]["used"] >= len(KINDS)
    printed = "\n".join(one.out + one.err for one in done)
    return Seen(secrets, sent, printed, written(home.folder))


def test_no_secret_that_was_said_or_run_is_sent_written_or_printed(seen: Seen) -> None:
    assert len(seen.secrets) == len(KINDS) * len(POSITIONS)
    assert seen.leaks("prompt", "said", "command", "address") == set()


def test_no_secret_in_the_name_of_a_folder_or_a_branch_is_sent_or_printed(seen: Seen) -> None:
    assert {leak for leak in seen.leaks("path", "branch") if leak[1] in {"sent", "printed"}} == set()


def test_no_secret_in_the_name_of_a_folder_or_a_branch_is_written(seen: Seen) -> None:
    assert seen.leaks("path", "branch") == set()


def test_the_secrets_were_in_play(seen: Seen) -> None:
    kept = "\n".join(seen.files.values())
    assert "[redacted:github-token]" in seen.sent
    assert "[redacted:github-token]" in kept
    assert any(path.name == "sleep.db" for path in seen.files)

"""A whole night whose model is a folder, by the installed command: answered stop by stop, until it closes."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.records import Prompt, Purpose
from tests.command import ASKS, Done, Home

MOST_STOPS = 20
_ANSWER = re.compile(r"^    (/.*\.md)$", re.MULTILINE)
_TEXT = re.compile(r"^## Prompt\n\n(`{3,})\n(.*)\n\1\n\Z", re.DOTALL | re.MULTILINE)
_STOPPED = re.compile(r"skillopt-sleep: (\d+) prompts? waits? for an answer in (.+)\n.* go on: (.+)\n")


def asked(folder: Path) -> Iterator[tuple[Purpose, str, Path]]:
    """Yield the purpose, the text and the answer's place of each prompt that waits, as its file alone tells them."""
    for path in sorted(folder.iterdir()):
        shown = path.read_text(encoding="utf-8")
        text, place = _TEXT.search(shown), _ANSWER.search(shown)
        assert text, path
        assert place, path
        yield Purpose(path.name.split("-")[1]), text[2], Path(place[1])


def goes_on(home: Home, line: str) -> Done:
    """Run the command that a stop printed, from a folder that has nothing to do with the night."""
    words = shlex.split(line)
    variables = dict(word.split("=", 1) for word in words if "=" in word)
    _program, *arguments = words[len(variables) :]
    return home.command(*arguments, cwd="/", **variables)


def test_a_night_that_is_answered_stop_by_stop_asks_nothing_twice_and_closes_with_its_rule(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions(ASKS[:3])
    model = SimulatedBackend(forgets=0.0)
    answered: list[tuple[Purpose, Path]] = []
    stops = 0

    done = home.command("run", "--backend", "handoff")
    while done.code == 7:
        stops += 1
        stopped = _STOPPED.fullmatch(done.err)
        assert stopped, done.err
        prompts = list(asked(Path(stopped[2])))
        assert (done.out, int(stopped[1])) == ("", len(prompts))
        for purpose, text, place in prompts:
            prompt = Prompt(purpose=purpose, text=text, sample=len(answered))
            place.write_text(model.complete(prompt).text, encoding="utf-8")
            answered.append((purpose, place))
        assert stops < MOST_STOPS
        if stops == 1:
            listed, why = home.command("tasks", "list").out, home.command("why", "never npm").out
            assert "isn't over" in listed, "its tasks aren't listed yet, which doesn't mean that there are none"
            assert "isn't over, and may have read it" in why
        done = goes_on(home, stopped[3])

    assert (done.code, done.err) == (0, "")
    assert len(set(answered)) == len(answered)
    kinds = list(dict.fromkeys(purpose for purpose, _ in answered))
    assert kinds[:3] == [Purpose.MINE, Purpose.REFLECT, Purpose.ROLLOUT]
    report = home.command("report", "--json").json
    assert (report["verdict"], report["spend"]["calls"]) == ("improved", len(answered))
    (proposal,) = report["proposals"]
    assert "Use pnpm, never npm." in proposal["edits"][0]["content"]
    folder = tmp_path / "sleep" / "data" / "handoff"
    assert [list((folder / name).iterdir()) for name in ("open", "answers")] == [[], []]
    status = home.command("status", "--json").json
    assert (status["unfinished"], status["prompts"], len(status["waiting"])) == ([], 0, 1)

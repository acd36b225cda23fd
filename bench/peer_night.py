"""A night of PyPI's skillopt on one project, in its own environment; its model is whoever reads our stdout.

Arguments: the home folder, the project's folder, the time of the night in seconds, which documents it may change
(`both`, as it does by default, or `memory`), and the seed of its split. Every call of its backend is one line on stdout, a JSON object with the
prompt, answered by one line on stdin; the last line says whether an edit was accepted.
"""

import json
import sys

from skillopt_sleep.backend import CliBackend  # pyright: ignore[reportMissingImports]
from skillopt_sleep.config import load_config  # pyright: ignore[reportMissingImports]

from skillopt_sleep import cycle  # pyright: ignore[reportMissingImports]


class Asking(CliBackend):
    """Its own prompts, parsing and cache, as its other backends have them; only the call itself is ours."""

    name = "asking"

    def _call(self, prompt: str, *, max_tokens: int = 1024) -> str:
        print(json.dumps({"prompt": prompt}), flush=True)
        return json.loads(sys.stdin.readline())["reply"]


def main() -> None:
    home, project, now, documents, seed = sys.argv[1:]
    cycle.get_backend = lambda *_args, **_fields: Asking()
    night = cycle.run_sleep_cycle(
        load_config(
            claude_home=f"{home}/.claude",
            state_dir=f"{home}/state-{documents}-{seed}",
            invoked_project=project,
            backend="claude",
            lookback_hours=24 * 7,
            evolve_skill=documents == "both",
            seed=int(seed),
        ),
        clock=float(now),
    )
    report = night.report
    found = {"sessions": report.n_sessions, "tasks": report.n_tasks, "accepted": report.accepted}
    print(json.dumps({"done": found}), flush=True)


if __name__ == "__main__":
    main()

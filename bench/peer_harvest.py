"""Times the harvest of the installed `skillopt` package; run by its own Python, outside of this checkout.

Prints one JSON object: processor seconds of the harvest call, sessions, prompts.
"""

import json
import sys
import time


def main() -> None:
    agent, folder = sys.argv[1:]
    if agent == "claude":
        from skillopt_sleep.harvest import harvest  # pyright: ignore[reportMissingImports]
    else:
        from skillopt_sleep.harvest_codex import harvest_codex as harvest  # pyright: ignore[reportMissingImports]
    begun = time.process_time()
    digests = harvest(folder)
    seconds = time.process_time() - begun
    print(json.dumps({"seconds": seconds, "sessions": len(digests), "prompts": sum(d.n_user_turns for d in digests)}))


if __name__ == "__main__":
    main()

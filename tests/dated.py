"""Run the command as if it were another time: the variable EXAMPLE_TIME, or else now.

Only for the example night and what is shown of it, which would otherwise read differently every day. The command
itself has no such option. Its clock is set before anything else imports it, and stands still until the command ends.
"""

import os
import sys
from datetime import datetime

from skillopt_sleep.kit import clock

if time := os.environ.get("EXAMPLE_TIME"):
    MOMENT = datetime.fromisoformat(time)
    clock.utc_now = lambda: MOMENT

if __name__ == "__main__":
    from skillopt_sleep.cli import main

    sys.argv = sys.argv[1:]  # the name it was called by comes first
    main()

from contextlib import closing
from pathlib import Path

from skillopt_sleep.night.account import account
from skillopt_sleep.settings import Settings, find_paths
from skillopt_sleep.stores.sqlite import open_store
from skillopt_sleep.wiring.history import read_history
from tests.command import Home


def test_the_index_alone_tells_the_same_until_files_change(tmp_path: Path) -> None:
    home = Home(tmp_path / "ada")
    home.had_sessions()
    settings = Settings()
    paths = find_paths(home.environment)
    told = home.command("harvest", "--json").json
    with closing(open_store(settings, paths)) as store:
        known = read_history(store, settings, paths, look=False)
        assert len(account(known.history).sessions) == len(told["sessions"]) == 5
        assert known.notes == ()

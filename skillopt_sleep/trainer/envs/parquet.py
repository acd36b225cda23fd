"""Read Parquet files, as datasets are served today, with DuckDB, an optional extra."""

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.extras import command_for

# Nothing is looked up elsewhere: what reads Parquet is part of the library.
_OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def parquet_rows(path: Path) -> tuple[Mapping[str, Any], ...]:
    """Return the rows of a file, with lists and structs as Python's own; raise ConfigError if it can't be read."""
    if path.suffix.lower() != ".parquet":
        raise ConfigError(f"{path}: Parquet is compressed by itself", remedy="unpack the file")
    try:
        import duckdb
    except ImportError as error:
        raise ConfigError(f"{path}: reading Parquet needs DuckDB", remedy=command_for("envs")) from error
    try:
        with duckdb.connect(":memory:", config=_OFFLINE) as opened:
            found = opened.execute(
                "SELECT * FROM read_parquet(?, hive_partitioning = false)", [glob.escape(str(path))]
            )
            names = [column[0] for column in found.description or ()]
            return tuple(dict(zip(names, values, strict=True)) for values in found.fetchall())
    except duckdb.Error as error:
        problem = str(error).partition("\n")[0]
        raise ConfigError(f"{path}: {problem}", remedy="download the file again, or name another one") from error

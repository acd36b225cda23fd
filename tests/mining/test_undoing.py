"""Which commands take work back."""

from time import perf_counter

import pytest

from skillopt_sleep.mining.deeds import undoes_files_named, undoes_work


@pytest.mark.parametrize(
    "command",
    [
        "git revert HEAD",
        "git restore src",
        "git checkout -- a.py",
        "git checkout HEAD~2 -- a.py",
        "git checkout .",
        "git -C shop reset --hard",
        "git reset HEAD~1",
        "git stash",
        "git stash -u",
        "git stash drop",
        "git clean -fd",
        "cd src && git checkout .",
        "git checkout HEAD src/cart.py",
        "git checkout HEAD third_party",
        "git checkout -q @ src",
        "git checkout HEAD~1 src/cart.py",
        "git checkout HEAD^ -- src/cart.py",
        "git checkout 4be09d1 src/cart.py",
        "git checkout src/",
        "git checkout ../shop",
        "git checkout :/",
        "git checkout .; git status",
        "git checkout -f",
        "git restore .",
        "git restore --source=HEAD~1 src/cart.py",
        "git restore -s HEAD~1 src/cart.py",
        "git restore --staged --worktree src/cart.py",
        "git restore -SW src/cart.py",
        "git reset --hard",
        "git reset --hard origin/main",
        "git reset --soft HEAD^",
        "git reset 4be09d1",
        "git revert --no-edit 4be09d1",
        "git clean --force",
        "hg revert --all",
        "hg revert src/cart.py",
        "hg backout tip",
        "hg rollback",
        "sl undo",
        "svn revert -R .",
        "jj undo",
        "jj restore src/cart.py",
        "jj abandon",
        "jj op undo",
        "jj op restore 4be09d1",
    ],
)
def test_it_takes_work_back(command: str) -> None:
    assert undoes_work(command)


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -b new",
        "git checkout -b 4be09d1 HEAD",
        "git checkout -b new HEAD~1",
        "git checkout main",
        "git checkout main && pnpm dev",
        "git checkout feature/cart",
        "git checkout -",
        "git checkout - && pnpm dev",
        "git checkout HEAD~1",
        "git checkout 4be09d1 2>/dev/null",
        "git checkout HEAD~1 && pnpm dev",
        "git checkout main --",
        "git checkout --detach",
        "git switch main",
        "git switch -c new",
        "git switch -",
        "git restore --staged",
        "git restore --staged src/cart.py",
        "git restore -S src",
        "git log",
        "git stash pop",
        "git reset",
        "git reset HEAD",
        "git reset HEAD src/cart.py",
        "git revert --abort",
        "git apply change.patch",
        "git clean -n",
        "hg update",
        "hg commit -m revert",
        "svn update",
        "jj new main",
        "jj op log",
    ],
)
def test_other_work_takes_nothing_back(command: str) -> None:
    assert not undoes_work(command)


@pytest.mark.parametrize(
    "command", ["git checkout src/cart.py", "git -C shop rm cart.py", "rm cart.py", "unlink cart.py"]
)
def test_the_files_that_it_names_decide(command: str) -> None:
    assert undoes_files_named(command)
    assert not undoes_work(command)


@pytest.mark.parametrize("command", ["git log", "pytest -x", "npm run build"])
def test_other_programs_undo_no_files(command: str) -> None:
    assert not undoes_files_named(command)


@pytest.mark.parametrize("word", ["git restore ", "git reset ", "git checkout ", "git checkout -q ", "hg up ", "a*"])
def test_a_long_command_takes_no_time(word: str) -> None:
    start = perf_counter()
    undoes_work(word * 10_000)
    assert perf_counter() - start < 1

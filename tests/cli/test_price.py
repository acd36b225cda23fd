"""What a night costs at most, by the prices of all models that it asks."""

from pathlib import Path

import pytest

from tests.command import Home


def roles(home: Home, *, judge: str = 'model = "gpt-4"', more: str = "") -> Home:
    """Three models: the optimizer by OpenAI, the target by Anthropic, and the judge as said."""
    target = '[target]\nname = "anthropic"\nmodel = "claude-opus-4-1"\n'
    text = f'[backend]\nname = "openai"\nmodel = "gpt-4o-mini"\n{target}[judge]\n{judge}\n{more}'
    (home.folder / "sleep").mkdir()
    (home.folder / "sleep" / "config.toml").write_text(text, encoding="utf-8")
    return home


def test_a_plan_names_every_model_once_and_takes_the_greatest_price(
    tmp_path: Path,
) -> None:
    home = roles(Home(tmp_path))
    home.had_sessions()

    answer = home.command("run", "--plan", "--json").json

    assert answer["sends_to"] == (
        "openai gpt-4o-mini at https://api.openai.com/v1, "
        "anthropic claude-opus-4-1 at https://api.anthropic.com, "
        "openai gpt-4 at https://api.openai.com/v1"
    )
    assert answer["limits"]["usd"] == 150.0
    assert answer["consent"] is False


def test_a_model_of_two_roles_is_named_once(tmp_path: Path) -> None:
    home = roles(Home(tmp_path), judge='name = "anthropic"\nmodel = "claude-opus-4-1"')
    home.had_sessions()

    answer = home.command("run", "--plan", "--json").json

    assert answer["sends_to"].count("anthropic claude-opus-4-1") == 1


@pytest.mark.slow
def test_where_one_price_is_unknown_the_nights_is_and_a_limit_holds_for_all(tmp_path: Path) -> None:
    home = roles(Home(tmp_path), judge='model = "nobody-knows"')
    assert home.command("run", "--plan", "--json").json["limits"]["usd"] is None
    assert home.command("run", "--plan", "--json").json["calls"]["likely"] == [0, 0]

    limited = Home(tmp_path / "limited")
    roles(limited, more="[budget]\nusd = 3.5\n")
    assert limited.command("run", "--plan", "--json").json["limits"]["usd"] == 3.5


@pytest.mark.slow
def test_a_plan_without_a_known_price_advises_no_limit_that_would_end_the_night(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    told = ("run", "--plan", "--backend", "openai", "--model", "m", "--base-url", "http://llm.example/v1")
    out = home.command(*told).out
    assert "prices." in out
    assert "budget.usd" not in out
    (tmp_path / "sleep" / "config.toml").write_text("[budget]\nusd = 2.0\n", encoding="utf-8")
    assert "stops at its first call" in home.command(*told).out


def test_without_a_backend_no_price_is_missed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    out = home.command("run", "--plan").out
    assert "no backend is chosen yet" in out
    assert "price" not in out

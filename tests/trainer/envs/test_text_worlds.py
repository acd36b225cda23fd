import pytest

from skillopt_sleep.errors import CallFailed, ConfigError, FailureKind
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.envs.text_worlds import Game, TextWorlds, View, command_of
from tests.fakes import Answer, FakeBackend, in_turn


class Corridor(Game):
    """A game that two steps win."""

    def __init__(self) -> None:
        self.steps, self.is_closed = 0, False

    def reset(self) -> View:
        return View("A corridor.", commands=("on", "back"))

    def step(self, command: str) -> View:
        self.steps += command == "on"
        text = "You walk." if command == "on" else "Nothing happens."
        return View(text, self.steps == 2, self.steps == 2, ("on",))

    def close(self) -> None:
        self.is_closed = True


def played(game: Corridor, *replies: Answer, show: bool = True) -> tuple[list[str], float, str]:
    target = FakeBackend({Purpose.ROLLOUT: in_turn(*replies)})
    env = TextWorlds(steps=3, show_commands=show)
    result = env.played(game, "Look first.", target, sample=0)
    return [prompt.text for prompt in target.prompts], result.hard, result.why


@pytest.mark.parametrize(
    ("reply", "command"),
    [
        ("I go.\n<action>go to desk 1</action>", "go to desk 1"),
        ("<action>look</action> or rather <ACTION> go to\ndesk 1 </ACTION>", "go to desk 1"),
        ("<action>look", "look"),
        ("I think.\n> look\n\n", "look"),
        ("", ""),
    ],
)
def test_the_last_action_or_else_the_last_line_is_the_command(reply: str, command: str) -> None:
    assert command_of(reply) == command


def test_a_game_is_played_until_it_is_won() -> None:
    game = Corridor()
    prompts, hard, why = played(game, "<action>on</action>")
    assert (len(prompts), hard, why, game.is_closed) == (2, 1, "", True)
    assert "You may: on, back" in prompts[0]
    assert "> on\nYou walk." in prompts[1]
    assert "You may" not in played(Corridor(), "on", show=False)[0][0]


def test_a_game_that_is_not_won_says_how_far_it_came() -> None:
    _, hard, why = played(Corridor(), "jump", "on", "jump")
    assert (hard, why) == (0, "the task was not done after 3 steps; 2 of its commands did nothing")


def test_a_game_is_closed_after_an_outage_too() -> None:
    game = Corridor()
    with pytest.raises(CallFailed):
        played(game, "<action>on</action>", CallFailed(FailureKind.OVERLOADED, "too busy"))
    assert game.is_closed


def test_a_folder_without_games_is_refused(tmp_path: object) -> None:
    with pytest.raises(ConfigError, match="holds no file that can be read") as refused:
        TextWorlds(path=str(tmp_path)).items(Split.TRAIN)
    assert "ALFWORLD_DATA" in refused.value.remedy

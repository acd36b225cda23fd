from skillopt_sleep.cli.table import CLOSER, COMMANDS, MORNING, NIGHTS, RESEARCH, START
from tests.command import PROGRAM


def test_every_command_is_in_one_of_five_groups_and_they_come_in_order() -> None:
    panels = list(dict.fromkeys(command.panel for command in COMMANDS.values()))
    assert panels == [START, MORNING, CLOSER, NIGHTS, RESEARCH]


def test_every_example_is_a_command_line_of_its_own_command() -> None:
    for name, command in COMMANDS.items():
        assert command.example.split()[:2] == [PROGRAM.name, name]

"""Parse, call, print."""


def main() -> None:
    """Run the command line."""

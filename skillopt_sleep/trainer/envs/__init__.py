"""The environments that come with the program."""

"""The environments that come with the program, one file each."""

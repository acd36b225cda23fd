"""Claude Code: its sessions, its program, its login."""

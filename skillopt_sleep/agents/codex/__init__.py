"""Codex: its sessions, its program, its login."""

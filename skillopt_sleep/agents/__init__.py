"""Agents: what is known of each coding agent, one folder an agent."""

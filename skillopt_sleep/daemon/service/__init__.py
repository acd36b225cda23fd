"""Install the daemon as a system service and our hooks into the agents' settings; list and uninstall both."""

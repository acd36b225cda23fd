"""Have the platform run the daemon, and the agents run our plugin; take both back."""

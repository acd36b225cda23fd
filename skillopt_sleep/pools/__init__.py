"""Pool: runs independent calls side by side."""

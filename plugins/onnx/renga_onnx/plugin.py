"""What this plugin offers."""

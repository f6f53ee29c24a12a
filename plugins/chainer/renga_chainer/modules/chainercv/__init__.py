"""What ``chainercv`` has otherwise than `renga.cv`."""

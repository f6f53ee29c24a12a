"""Names of ``chainercv`` that differ from `renga.cv`."""

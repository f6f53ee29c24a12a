"""Kills runs while they save, and damages files: is any wrong state loaded, or a snapshot lost?

- `subject`: saved objects and formats.
- `kills`: a run that is killed again and again, and continues each time.
- `harms`: kinds of damage to a file.
- `files`: reads damaged files.
- `command`: `python -m benchmarks damage`.
"""

"""Runs that are killed while they save, and files that are damaged: is anything loaded that is wrong, or lost?

- `subject`: what is saved and loaded, in which formats.
- `kills`: a run that is killed again and again, and goes on each time.
- `harms`: the ways in which a file is damaged.
- `files`: what becomes of a damaged file.
- `command`: `python -m benchmarks damage`.
"""

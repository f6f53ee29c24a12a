"""Training by several processes.

- `single`: the communicator of a process that is alone; it needs nothing installed.
- `plugin`: what this package provides, for the plugin manager.

Nothing is imported here: who asks for the plugin's description pays for nothing else.
"""

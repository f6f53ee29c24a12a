"""Runs and trained networks in the browser.

`renga serve RUN` answers requests of HTTP with a trained network, and has a page where it can be tried:

- `command`: the command. `app`: what is answered to which request. `page.html`: the page.
- `batching`: requests that come together are computed together.
- `body`: reading what a request brings, within limits.

`renga watch RUN` shows a run while it trains:

- `watch_command`: the command. `watch_app`: what is answered to which request. `watch.html`: the page.
- `watched_run`: reading the folder of a run while the run writes to it.

`listening` is what both commands share. Starlette and Uvicorn do the rest (``pip install 'renga[serve]'``).
"""

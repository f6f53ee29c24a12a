"""Shows runs and trained networks in the browser.

`renga serve RUN` answers HTTP requests with a trained network. It also has a page to try the network:

- `command`: the command. `app`: the routes of the service. `page.html`: the page.
- `batching`: computes simultaneous requests as one batch.
- `body`: reads the body of a request, within limits.

`renga watch RUN` shows a run while it trains:

- `watch_command`: the command. `watch_app`: the routes. `watch.html`: the page.
- `watched_run`: reads the folder of a run while the run writes to it.

Both commands use `listening`, Starlette and Uvicorn (``pip install 'renga[serve]'``).
"""

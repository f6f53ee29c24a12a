"""A trained network as a service: `renga serve RUN` answers requests of HTTP, and has a page for browsers.

- `command`: the command. `app`: what is answered to which request.
- `batching`: requests that come together are computed together.
- `body`: reading what a request brings, within limits.
- `page.html`: the page.

Starlette and Uvicorn do the rest (``pip install 'renga[serve]'``).
"""

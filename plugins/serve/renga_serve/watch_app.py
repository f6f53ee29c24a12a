"""The routes of `renga watch`."""

from __future__ import annotations

from importlib.resources import files
from mimetypes import guess_type

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from renga_core.errors import RengaError
from renga_serve.watched_run import WatchedRun

__all__ = ["application"]

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def application(run: WatchedRun) -> Starlette:
    """Return the ASGI application that shows a run. Its functions run in threads because they read files."""
    text = files("renga_serve").joinpath("watch.html").read_text(encoding="utf-8")

    def page(request: Request) -> Response:
        return HTMLResponse(text, headers=_HEADERS)

    def state(request: Request) -> Response:
        file, start = request.query_params.get("file", ""), request.query_params.get("start", "0")
        if not start.isdecimal():
            raise HTTPException(400, f"start is {start!r}; it must be a whole number: log.end of the last answer")
        try:
            found = run.state(file, int(start))
        except RengaError as error:
            raise HTTPException(404, str(error)) from error
        return JSONResponse({"folder": str(run.folder), **found}, headers=_HEADERS)

    def picture(request: Request) -> Response:
        name = request.path_params["name"]
        found = run.picture(name)
        if found is None:
            raise HTTPException(404, f"there is no picture {name} in {run.folder}")
        return Response(found, media_type=guess_type(name)[0], headers=_HEADERS)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/state", state),
            Route("/pictures/{name:path}", picture),
        ],
        exception_handlers={HTTPException: _refused},
    )


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, _HEADERS)

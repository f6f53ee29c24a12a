"""The routes of `renga serve` and their answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from renga.dataset import PicturePreprocessing, TextPreprocessing, preprocessing_document
from renga.run import Predictor
from renga.run.results import write_images
from renga_core.errors import RengaError
from renga_serve.batching import Batcher
from renga_serve.body import read_files, read_json
from renga_serve.limits import Limits

__all__ = ["application"]

_LOG = logging.getLogger("renga.serve")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src blob: data:; connect-src 'self'",
    "X-Content-Type-Options": "nosniff",
}


class Service:
    """Answers requests with a trained network.

    Args:
        predictor: The trained network.
        limits: Limits on requests.
    """

    def __init__(self, predictor: Predictor, limits: Limits) -> None:
        self.predictor, self.limits = predictor, limits
        self.batcher = Batcher(lambda inputs: list(predictor.rows(inputs)), limits.batch, limits.gather)
        self.waiting = self.answered = 0
        self._page = files("renga_serve").joinpath("page.html").read_text(encoding="utf-8")

    async def page(self, request: Request) -> Response:
        """``GET /``: the page for browsers."""
        return HTMLResponse(self._page, headers=_HEADERS)

    async def health(self, request: Request) -> Response:
        """``GET /health``: whether the service works, and how many requests it has to compute."""
        return JSONResponse({"status": "ok", "waiting": self.waiting, "answered": self.answered})

    async def description(self, request: Request) -> Response:
        """``GET /description``: kind and expected input of the network."""
        predictor = self.predictor
        preprocessing = predictor.task.preprocessing
        document = preprocessing_document(preprocessing) or {"kind": None if preprocessing is None else "file"}
        return JSONResponse(
            {
                "task": predictor.network.description.task.use,
                "model": predictor.network.description.model.use,
                "weights": Path(predictor.network.weights).name,
                "classes": predictor.classes,
                "draws": isinstance(preprocessing, PicturePreprocessing),
                "input": document,
                "limits": {"bytes": self.limits.request_bytes, "examples": self.limits.request_examples},
            }
        )

    async def predict(self, request: Request) -> Response:
        """``POST /predict``: a file as body, files in a form, or JSON with one table row or a list of rows.

        The answer is ``{"predictions": [{…}, …]}``, in order. With ``?draw=1`` the answer is the picture (PNG) with the
        detections drawn into it.
        """
        async with self._place():
            if request.headers.get("content-type", "").startswith("application/json"):
                return JSONResponse({"predictions": await self._of_json(await read_json(request, self.limits))})
            with TemporaryDirectory(prefix="renga-serve-") as folder:
                given = await read_files(request, self.limits, folder)
                if request.query_params.get("draw") == "1":
                    return Response(await self._drawn(given), media_type="image/png")
                return JSONResponse({"predictions": await self._of_files(given)})

    async def generate(self, request: Request) -> Response:
        """``POST /generate``, ``{"text": …, "number": …}``: a language model continues the text; a generator draws
        images."""
        async with self._place():
            wanted = await read_json(request, self.limits)
            if not isinstance(wanted, dict) or set(wanted) - {"text", "number"}:
                raise HTTPException(400, 'the body must be an object with "text" and "number", both optional')
            text, number = wanted.get("text"), wanted.get("number", 200)
            if not isinstance(text, str | None):
                raise HTTPException(400, f"text is {text!r}; it must be a string")
            most = self.limits.request_examples
            if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
                raise HTTPException(400, f"number is {number!r}; it must be a whole number from 1 to {most}")
            made = await self._within(self.batcher.alone(self._generated, text or None, number))
            if isinstance(made, str):
                return JSONResponse({"text": made})
            return Response(await anyio.to_thread.run_sync(_sheet, made), media_type="image/png")

    # --- Helpers
    # --------------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """Hold one place in the queue of requests, and turn errors into HTTP answers."""
        if self.waiting >= self.limits.waiting:
            raise HTTPException(503, "too many requests are waiting; try again in a moment", {"Retry-After": "1"})
        self.waiting += 1
        try:
            yield
        except (RengaError, TypeError, ValueError, OSError) as error:
            raise HTTPException(400, str(error)) from error
        finally:
            self.waiting -= 1
            self.answered += 1

    async def _within(self, work: Any) -> Any:
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await work
        except TimeoutError:
            raise HTTPException(503, f"not computed within {self.limits.seconds:g} s: too many requests") from None

    async def _of_json(self, value: Any) -> list[Any]:
        rows = value if isinstance(value, list) else [value]
        self._check_number(rows)
        inputs = await anyio.to_thread.run_sync(lambda: [self.predictor.prepare(row) for row in rows])
        found: list[Any] = await self._within(self.batcher.compute(inputs))
        return found

    async def _of_files(self, given: Sequence[tuple[str, str]]) -> list[Any]:
        named = await anyio.to_thread.run_sync(self._read, given)
        self._check_number(named)
        found = await self._within(self.batcher.compute([each for _, each in named]))
        return [{"input": name, **row} for (name, _), row in zip(named, found, strict=True)]

    async def _drawn(self, given: Sequence[tuple[str, str]]) -> bytes:
        named = await anyio.to_thread.run_sync(self._read, given)
        if len(named) > 1:
            raise HTTPException(400, f"draw=1 takes one picture, but the request has {len(named)}")
        drawn: bytes = await self._within(self.batcher.alone(self._draw, named[0][1]))
        return drawn

    def _read(self, given: Sequence[tuple[str, str]]) -> list[tuple[str, Any]]:
        """Read the examples in files; each keeps the name that the client gave."""
        found: list[tuple[str, Any]] = []
        for name, path in given:
            try:
                for number, (_, example) in enumerate(self._examples(path)):
                    found.append((name if number == 0 else f"{name}:{number + 1}", example))
                    self._check_number(found)
            except (RengaError, OSError) as error:
                raise HTTPException(400, str(error).replace(path, name)) from error
        return found

    def _examples(self, path: str) -> Any:
        with self.predictor.network.using():
            return list(self.predictor.read([path]))

    def _check_number(self, examples: Sequence[Any]) -> None:
        if not examples:
            raise HTTPException(400, "the request contains no example")
        if len(examples) > self.limits.request_examples:
            raise HTTPException(
                413,
                f"a request may contain at most {self.limits.request_examples} examples (renga serve --max-examples)",
            )

    def _draw(self, example: Any) -> bytes:
        network = self.predictor.network
        with TemporaryDirectory(prefix="renga-serve-") as folder, network.using():
            network.task.predict_into(network.target, [("picture", example)], Path(folder))
            return Path(folder, "picture.png").read_bytes()

    def _generated(self, text: str | None, number: int) -> Any:
        network = self.predictor.network
        if isinstance(network.task.preprocessing, TextPreprocessing) and text is not None:
            network.task.preprocessing.encode(text)
        with network.using():
            return network.task.generate(network.target, text, number)


def application(predictor: Predictor, limits: Limits | None = None) -> Starlette:
    """Create the ASGI application of a service.

    Args:
        predictor: The trained network, from `renga.load`.
        limits: Limits on requests.
    """
    service = Service(predictor, limits or Limits())

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with service.batcher:
            yield

    return Starlette(
        routes=[
            Route("/", service.page),
            Route("/health", service.health),
            Route("/description", service.description),
            Route("/predict", service.predict, methods=["POST"]),
            Route("/generate", service.generate, methods=["POST"]),
        ],
        exception_handlers={HTTPException: _refused, Exception: _failed},
        lifespan=lifespan,
    )


async def _refused(request: Request, error: Any) -> Response:
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    _LOG.exception("%s %s", request.method, request.url.path, exc_info=error)
    return JSONResponse({"error": f"the service failed: {type(error).__name__}. See its log."}, 500)


def _sheet(images: Any) -> bytes:
    """Arrange images (number, channels, height, width), values 0 to 1, side by side in one picture."""
    with TemporaryDirectory(prefix="renga-serve-") as folder:
        path = Path(folder, "sheet.png")
        write_images(images, str(path))
        return path.read_bytes()

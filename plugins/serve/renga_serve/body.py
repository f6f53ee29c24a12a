"""Reads the body of a request, within limits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from renga_serve.limits import Limits

__all__ = ["read_body", "read_files", "read_json"]


async def read_body(request: Request, limits: Limits) -> bytes:
    """Return the whole body.

    Raises:
        HTTPException: The body is too large (413) or arrives too slowly (408).
    """
    return b"".join([part async for part in _parts(request, limits)])


async def read_json(request: Request, limits: Limits) -> Any:
    """Return the value of a JSON body. Raises HTTPException if it is not JSON (400), or as `read_body` does."""
    text = await read_body(request, limits)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body is not JSON: {error or 'it is nested too deeply'}") from None


async def read_files(request: Request, limits: Limits, folder: str) -> list[tuple[str, str]]:
    """Write the files of a form, or else the whole body, into a folder.

    Returns:
        Pairs: the name that the client gave, and the path of the file.

    Raises:
        HTTPException: There is no file (400), or as `read_body` does.
    """
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        found = [("body", await read_body(request, limits))]
    else:
        try:
            parser = MultiPartParser(request.headers, _parts(request, limits), max_files=100, max_fields=10)
            form = await parser.parse()
        except (MultiPartException, KeyError) as error:
            raise HTTPException(400, f"the form cannot be read: {error}") from None
        found = [
            (value.filename or key, await value.read())
            for key, value in form.multi_items()
            if isinstance(value, UploadFile)
        ]
        await form.close()
    files = [(name, data, Path(folder, str(number))) for number, (name, data) in enumerate(found) if data]
    if not files:
        raise HTTPException(400, "the request contains no file")
    for _, data, path in files:
        path.write_bytes(data)
    return [(name, str(path)) for name, _, path in files]


async def _parts(request: Request, limits: Limits) -> AsyncGenerator[bytes, None]:
    """Yield the body in pieces. Raises HTTPException as soon as a limit is passed."""
    most = limits.request_bytes
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise HTTPException(413, _too_large(most))
    size = 0
    stream = request.stream().__aiter__()
    deadline = asyncio.get_running_loop().time() + limits.seconds
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                part = await anext(stream)
        except StopAsyncIteration:
            return
        except ClientDisconnect:
            raise HTTPException(400, "the client disconnected") from None  # nobody reads this; no fault of the service
        except TimeoutError:
            raise HTTPException(408, f"the body has not arrived within {limits.seconds:g} s") from None
        size += len(part)
        if size > most:
            raise HTTPException(413, _too_large(most))
        yield part


def _too_large(most: int) -> str:
    return f"the body is larger than {most:,} bytes, which is the limit of this service (renga serve --max-bytes)"

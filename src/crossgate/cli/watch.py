"""Run again whenever files change: by asking for their times, which works on every file system and needs nothing installed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import NoReturn

import click

from crossgate.errors import CrossgateError

INTERVAL = 0.3
"""Seconds between two looks. What changes must stay the same for as long: an editor or a checkout is not done with one write."""

State = dict[str, tuple[int, int, int]]
"""Each file's time, size and inode: editors that write a new file and rename it keep neither time nor inode."""


def watch(run: Callable[[], object], roots: Callable[[], Iterable[Path]], leave_out: Collection[Path] = ()) -> NoReturn:
    """Call ``run`` now and after each change below ``roots``, until Ctrl-C.

    Args:
        run: does the work; an error of ours is shown, and the next change is waited for.
        roots: says which files and folders count; asked before each look, because the settings may change too.
        leave_out: files that ``run`` itself writes.
    """
    own = {str(path.absolute()) for path in leave_out}
    while True:
        before = look(roots(), own)
        click.clear()
        try:
            run()
        except CrossgateError as error:
            click.echo(f"crossgate: {error}", err=True)
        click.echo("watching for changes; Ctrl-C ends", err=True)
        while (changed := look(roots(), own)) == before:
            time.sleep(INTERVAL)
        while True:
            time.sleep(INTERVAL)
            after = look(roots(), own)
            if after == changed:
                break
            changed = after


def look(roots: Iterable[Path], own: Collection[str] = ()) -> State:
    """Return the state of every file below ``roots``; hidden folders such as ``.git`` are left out, links are not followed."""
    found: State = {}
    folders = []
    for root in roots:
        if root.is_dir():
            folders.append(str(root.absolute()))
        else:
            _note(str(root.absolute()), found)
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if not entry.name.startswith("."):
                            folders.append(entry.path)
                    elif entry.path not in own:
                        _note(entry.path, found)
        except OSError:
            continue  # it went away between two looks; the next one sees that
    return found


def _note(path: str, found: State) -> None:
    try:
        status = os.lstat(path)
    except OSError:
        return
    found[path] = (status.st_mtime_ns, status.st_size, status.st_ino)

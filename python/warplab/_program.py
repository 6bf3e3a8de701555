"""The warplab program that comes with the package."""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig


class WarplabError(RuntimeError):
    """What the program says when it cannot do what it is asked to."""


def path():
    """The program: of WARPLAB, of this installation, or of the path."""
    chosen = os.environ.get("WARPLAB")
    if chosen:
        return chosen
    name = "warplab.exe" if sys.platform == "win32" else "warplab"
    for scheme in (None, f"{os.name}_user"):
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        program = pathlib.Path(folder) / name
        if program.exists():
            return str(program)
    found = shutil.which(name)
    if found is None:
        raise WarplabError("the warplab program was not found: install the package, or set WARPLAB to its path")
    return found


def call(arguments, accepted=(0,), makes=None):
    """Calls the program, which writes the file ``makes`` if it can do what it is asked to; its output and exit status."""
    command = [path(), *map(str, arguments)]
    environment = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment)
    made = makes is None or makes.exists()
    if done.returncode not in accepted or not made:
        raise WarplabError(done.stderr.strip() or f"warplab ended with status {done.returncode}")
    return done.stdout, done.returncode


def options(settings):
    """Keyword arguments as options: max_cycles=100 is --max-cycles 100, a list repeats the option."""
    words = []
    for name, value in settings.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            words += [flag, str(one)]
    return words


def changes(settings):
    """A dictionary of changes as --set options."""
    words = []
    for name, value in (settings or {}).items():
        words += ["--set", f"{name}={value}"]
    return words

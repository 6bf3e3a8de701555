"""Keyword arguments as words of the command line."""


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

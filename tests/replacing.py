"""Values of JSON with one of them replaced."""


def places(value, place=()):
    """Yield each place of a value of JSON; of a list that of its first entry."""
    yield place
    inside = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, one in inside:
        yield from places(one, (*place, name))


def replaced(value, place, wrong):
    """Return a value of JSON with another value at a place."""
    if not place:
        return wrong
    values = dict(value) if isinstance(value, dict) else list(value)
    values[place[0]] = replaced(value[place[0]], place[1:], wrong)
    return values

"""stand-in"""

from llmwiki.core.text import fold


class Names:
    def __init__(self):
        self._t = {}
        self._p = {}

    def add(self, path, title, aliases):
        self._p[path] = [fold(n) for n in (title, *aliases)]
        for n in self._p[path]:
            self._t.setdefault(n, set()).add(path)

    def remove(self, path):
        for n in self._p.pop(path, ()):
            self._t[n].discard(path)

    def by_title(self, name):
        return tuple(sorted(self._t.get(fold(name), ())))

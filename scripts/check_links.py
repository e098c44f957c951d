"""Dead links of a built site, and whatever its pages would fetch from a network.

``python scripts/check_links.py build/site`` prints them and fails if there are any. It reads
files only, so it takes seconds; addresses of other sites are left to readers.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"script": "src", "img": "src", "iframe": "src", "link": "href"}
KINDS = {"stylesheet", "icon", "preload", "modulepreload"}  # of <link>; others only name a page


class Page(HTMLParser):
    """Anchors of a page, the addresses it refers to and those it loads by itself."""

    def __init__(self, path):
        """Read a file."""
        super().__init__()
        self.anchors, self.addresses, self.loaded = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        """Note what a tag names."""
        found = dict(attrs)
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}
        self.addresses += [found[key] for key in ("href", "src") if found.get(key)]
        address = found.get(FETCHED.get(tag, ""))
        if address and (tag != "link" or KINDS & set((found.get("rel") or "").split())):
            self.loaded.append(address)


def dead_links(folder):
    """Return every relative address that leads to no file, or to no place in it."""
    pages = {path: Page(path) for path in folder.resolve().rglob("*.html")}
    dead = []
    for path, page in pages.items():
        for address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages[target].anchors if target in pages else set()
            lost = parts.fragment and target in pages and unquote(parts.fragment) not in known
            if not target.is_file() or lost:
                dead.append(f"{path.name}: {address}")
    return dead


def from_elsewhere(folder):
    """Return what pages load from another host: scripts, styles, pictures."""
    return [
        f"{path.name}: {address}"
        for path in sorted(folder.rglob("*.html"))
        for address in Page(path).loaded
        if urlsplit(address).netloc
    ]


def main(folder):
    """Print what is wrong with a site; return how many there are."""
    dead, fetched = dead_links(folder), from_elsewhere(folder)
    for line in dead:
        print(f"dead link: {line}")
    for line in fetched:
        print(f"needs a network: {line}")
    print(f"{len(dead)} dead links, {len(fetched)} files from elsewhere")
    return len(dead) + len(fetched)


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]))))

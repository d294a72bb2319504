"""Becomes tesseract within limits: `MEMORY SECONDS READS PROGRAM ARGUMENT…`.

Run by file name with `-P -s`, never imported by the product. Limits are set here, and not between
fork and exec of the product's own process, which may have threads.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2]))

from llmwiki.sources.confine import limit
from llmwiki.sources.readable import readable


def main() -> None:
    """Set the limits and run the program in place of this one; READS is joined as PATH is."""
    memory, seconds, reads, program, *arguments = sys.argv[1:]
    paths = readable(reads.split(os.pathsep))
    limit(memory=int(memory), seconds=float(seconds), reads=paths, becomes_another=True)
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    main()

"""What every test stands on."""

from __future__ import annotations

import signal

# A shell starts background jobs with SIGINT ignored, and children inherit that; tests that
# interrupt a process need it as a terminal gives it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

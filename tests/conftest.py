"""What every test stands on."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings
from longform import LONG, examples

# A shell starts background jobs with SIGINT ignored, and children inherit that; tests that
# interrupt a process need it as a terminal gives it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long it takes to draw examples says how busy the machine is.
settings.register_profile(
    "busy",
    max_examples=examples(100),
    suppress_health_check=list(HealthCheck) if LONG else [HealthCheck.too_slow],
)
settings.load_profile("busy")

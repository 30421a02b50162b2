"""Property tests have no deadline: the machine may be busy, and no test is timed."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

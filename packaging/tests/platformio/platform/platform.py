"""A platform without packages and boards: its compiler is in `PATH`."""

from platformio.platform.base import PlatformBase


class BoardPlatform(PlatformBase):
    pass

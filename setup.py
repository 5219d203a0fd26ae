"""The app in the wheel: `app.py`, `pages/` and their files go into `opnb/_app`, where `opnb app` looks for them.

At the top level of `site-packages` they would be a module `app` and a package `pages` of everybody's.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

APP = ("app.py", "pages/*.py", ".streamlit/config.toml", "docs/icon.svg")


class BuildWithApp(build_py):
    """Build the package with a copy of the app; an editable installation uses the app where it is."""

    def run(self) -> None:
        """Copy the package's own files, then the app's."""
        super().run()
        if not self.editable_mode:
            for source in self._app_files():
                place = Path(self.build_lib, "opnb", "_app", source)
                self.mkpath(str(place.parent))
                self.copy_file(source, str(place))

    def get_source_files(self) -> list[str]:
        """List what a source archive must hold to be built from."""
        return [*super().get_source_files(), *self._app_files()]

    def _app_files(self) -> list[str]:
        return sorted(path.as_posix() for pattern in APP for path in Path().glob(pattern))


setup(cmdclass={"build_py": BuildWithApp})

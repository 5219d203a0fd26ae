"""The app: `visit` and `work` know no page, `ui` is what pages share, and each page has a folder with its name."""

"""The app's machinery: state, jobs, settings that are also links and code, and the widgets the pages share."""

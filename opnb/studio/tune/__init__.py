"""The Tune page: paths, variants of a fit, shuffled labels, playback."""

"""The Compare page: other methods on the same data."""

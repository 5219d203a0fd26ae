"""The Learn page: lessons and the guide."""

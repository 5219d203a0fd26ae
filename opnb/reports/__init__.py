"""HTML reports that need nothing but a browser."""

"""The Data page: ways in, reading, preparation."""

"""The Workbench: data and settings at the side, the picture in the middle, details below."""

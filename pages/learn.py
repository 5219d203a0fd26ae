"""Lessons that can be played, stepped, changed and linked to, and a guide for teachers."""

from opnb.studio.learning import learning
from opnb.studio.session import inside

inside()
learning()

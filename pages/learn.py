"""Lessons that can be played, stepped, changed and linked to, and a guide for teachers."""

from opnb.studio.learn.page import learning
from opnb.studio.ui.session import inside

inside()
learning()

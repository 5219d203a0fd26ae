"""Other settings for the fit that is shown: the path of smoothness, penalties, starts, directions, playback."""

from opnb.studio.tune.page import tuning
from opnb.studio.ui.running_fit import fit_shown
from opnb.studio.ui.session import write_link

result = fit_shown("Tune", "tune", guide="settings")
if result is not None:
    tuning(result)
write_link()

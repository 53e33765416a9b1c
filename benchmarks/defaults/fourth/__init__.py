"""The fourth list of tasks, a short one of other kinds, to judge what was changed after the third was reported."""

from defaults.fourth.tasks import FOURTH_LIST as FOURTH_LIST

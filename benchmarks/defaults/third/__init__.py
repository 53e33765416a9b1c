"""The third list of tasks: tables, strings and signals as people have them, and other targets in the data folder."""

from defaults.third.chain_tasks import CHAIN_TASKS
from defaults.third.class_tasks import CLASS_TASKS
from defaults.third.label_tasks import LABEL_TASKS
from defaults.third.measure_tasks import MEASURE_TASKS
from defaults.third.ranking_tasks import DIVERSITY_TASKS, RANKING_TASKS
from defaults.third.tree_tasks import TAXONOMY_TASKS

THIRD_LIST = (
    *CLASS_TASKS,
    *TAXONOMY_TASKS,
    *LABEL_TASKS,
    *MEASURE_TASKS,
    *RANKING_TASKS,
    *DIVERSITY_TASKS,
    *CHAIN_TASKS,
)

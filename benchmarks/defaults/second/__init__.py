"""The second list of tasks: other processes and other slices of the data folder than those of the first."""

from defaults.second.chain_tasks import CHAIN_TASKS
from defaults.second.class_tasks import CLASS_TASKS
from defaults.second.label_tasks import LABEL_TASKS
from defaults.second.measure_tasks import MEASURE_TASKS
from defaults.second.ranking_tasks import DIVERSITY_TASKS, RANKING_TASKS
from defaults.second.tree_tasks import TAXONOMY_TASKS

SECOND_LIST = (
    *CLASS_TASKS,
    *TAXONOMY_TASKS,
    *LABEL_TASKS,
    *MEASURE_TASKS,
    *RANKING_TASKS,
    *DIVERSITY_TASKS,
    *CHAIN_TASKS,
)

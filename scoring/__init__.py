"""What a case is, and what an answer to it is worth: pure, without Qt, SQL or network.

Everything a notebook needs can be imported from here. Cases and predictions usually come from files
(`read_cases`, `read_predictions`); here both are made by hand.

>>> from scoring import Answer, Call, Case, Prediction, Reply, Task, ToolCall, score

A task with two calls that need not wait for each other, and its answer; an edge would make one wait:

>>> steps = (
...     Call(name="getForecast", arguments={"city": "Oslo"}, observation="sunny"),
...     Call(name="getForecast", arguments={"city": "Bergen"}, observation="rain"),
...     Answer(text="Sun in Oslo, rain in Bergen."),
... )
>>> case = Case(id="weather", tasks=(Task(user="Oslo or Bergen?", steps=steps),))

A model that asks for one city after the other, the second first:

>>> def ask(city: str) -> Reply:
...     arguments = '{"city": "' + city + '"}'
...     return Reply(tool_calls=(ToolCall(id=city, name="getForecast", arguments=arguments),))
>>> replies = (ask("Bergen"), ask("Oslo"), Reply(content="Oslo!"))
>>> card = score([case], [Prediction(case="weather", task=0, replies=replies)])
>>> card.summary.task_accuracy, card.summary.optimal_path_rate
(1.0, 0.0)

It is right, but one of two rounds would have done. How many orders were there?

>>> from scoring import list_orders, step_graph, summarise_orders
>>> graph = step_graph(case.tasks[0])
>>> orders = summarise_orders(graph)
>>> orders.count, orders.rounds, orders.first
(3, 2, ((0, 1), (2,)))
>>> for order in list_orders(graph, at_most=10):
...     print(order)
((0,), (1,), (2,))
((1,), (0,), (2,))
((0, 1), (2,))

The published evaluators see this run otherwise: they take same-named calls in the order of the file.

>>> from scoring import Semantics
>>> as_published = score([case], [Prediction(case="weather", task=0, replies=replies)],
...                      semantics=Semantics.REFERENCE)
>>> as_published.tasks[0].action_label, as_published.tasks[0].arguments_label
('correct', 'error')

Scorecards are written and read as JSON:

>>> from scoring import dump_scorecard, load_scorecard
>>> load_scorecard(dump_scorecard(card)) == card
True
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.evaluation import score
    from scoring.formats.case_reader import ReadCase, Rejected, read_cases
    from scoring.golds import gold_set
    from scoring.matching.arguments import check_arguments
    from scoring.matching.replay import replay
    from scoring.matching.task_scores import TaskScore
    from scoring.measures.comparison import compare_runs, rate_intervals
    from scoring.measures.coverage import switching_space_coverage
    from scoring.measures.rates import Rate
    from scoring.measures.robustness import compare_histories
    from scoring.measures.routes import layer_variance, policy_matrix, route_table
    from scoring.model.case import Answer, Ask, Call, Case, Edge, Task, Tool
    from scoring.model.graph import step_graph
    from scoring.model.taxonomy import ArgumentProfile, Information, Policy, Protocol, Semantics
    from scoring.orders.legal_orders import count_orders, list_orders, sample_order, summarise_orders
    from scoring.orders.published_paths import list_published_paths
    from scoring.prediction_files import read_predictions
    from scoring.predictions import Ignored, InfraError, Prediction, Reply, ToolCall
    from scoring.scorecard import Scorecard, cases_sha256, dump_scorecard, load_scorecard

__all__ = [
    "Answer",
    "ArgumentProfile",
    "Ask",
    "Call",
    "Case",
    "Edge",
    "Ignored",
    "Information",
    "InfraError",
    "Policy",
    "Prediction",
    "Protocol",
    "Rate",
    "ReadCase",
    "Rejected",
    "Reply",
    "Scorecard",
    "Semantics",
    "Task",
    "TaskScore",
    "Tool",
    "ToolCall",
    "cases_sha256",
    "check_arguments",
    "compare_histories",
    "compare_runs",
    "count_orders",
    "dump_scorecard",
    "gold_set",
    "layer_variance",
    "list_orders",
    "list_published_paths",
    "load_scorecard",
    "policy_matrix",
    "rate_intervals",
    "read_cases",
    "read_predictions",
    "replay",
    "route_table",
    "sample_order",
    "score",
    "step_graph",
    "summarise_orders",
    "switching_space_coverage",
]

_HOMES = {
    "scoring.matching.arguments": ("check_arguments",),
    "scoring.measures.comparison": ("compare_runs", "rate_intervals"),
    "scoring.measures.coverage": ("switching_space_coverage",),
    "scoring.evaluation": ("gold_set", "score"),
    "scoring.formats.case_reader": ("ReadCase", "Rejected", "read_cases"),
    "scoring.matching.replay": ("replay",),
    "scoring.model.case": ("Answer", "Ask", "Call", "Case", "Edge", "Task", "Tool"),
    "scoring.model.graph": ("step_graph",),
    "scoring.model.taxonomy": ("ArgumentProfile", "Information", "Policy", "Protocol", "Semantics"),
    "scoring.orders.legal_orders": ("count_orders", "list_orders", "sample_order", "summarise_orders"),
    "scoring.prediction_files": ("read_predictions",),
    "scoring.predictions": ("Ignored", "InfraError", "Prediction", "Reply", "ToolCall"),
    "scoring.orders.published_paths": ("list_published_paths",),
    "scoring.measures.rates": ("Rate",),
    "scoring.measures.robustness": ("compare_histories",),
    "scoring.measures.routes": ("layer_variance", "policy_matrix", "route_table"),
    "scoring.scorecard": ("Scorecard", "cases_sha256", "dump_scorecard", "load_scorecard"),
    "scoring.matching.task_scores": ("TaskScore",),
}
"""Where each name lives. It is imported on first use: a store that only needs the errors starts faster."""


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

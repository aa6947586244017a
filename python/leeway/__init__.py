"""leeway: how far data may shift before a classifier breaks, and how certain the answer is.

    import leeway
    r = leeway.agreement(clean, shifted, labels)      # arrays of logits (n,k), labels (n)
    r.pa, r.pa_interval
    leeway.assess({"logits": s, "labels": y}, {"prod": t}).report("page.html")

Functions have the names, defaults and meanings of the command's options; their results are the command's records. Inputs are
NumPy arrays, torch tensors on the CPU, pandas columns and lists. They are not copied if their type and layout permit.
Bad input raises `leeway.Error`, a ValueError with a one-line message.
"""

from . import conds, results
from ._classifier import Classifier
from ._command import CommandError, command
from ._functions import table as _table
from ._leeway import Error, __version__
from ._report import report
from .results import Interval, Result

globals().update({name: function for name, function in _table.items() if "." not in name})

__all__ = ["Classifier", "CommandError", "Error", "Interval", "Result", "__version__", "command", "conds", "report", "results",
           *(name for name in _table if "." not in name)]

"""Concurrent distribution shifts in attribute tables: split draws them, describe finds them."""

from ._functions import table as _table

split = _table["conds.split"]
describe = _table["conds.describe"]

__all__ = ["describe", "split"]

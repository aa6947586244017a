"""PosteriorAgreement for torchmetrics; leeway.metrics imports this module at first use."""
from __future__ import annotations

from typing import Any

import torch
import torchmetrics
from torchmetrics.utilities import dim_zero_cat

import leeway


class PosteriorAgreement(torchmetrics.Metric):
    """Posterior agreement of a model's outputs on clean and on shifted samples, from 0 to log k; higher is better.

        agreement = leeway.metrics.PosteriorAgreement()
        for clean, shifted, labels in loader:
            agreement.update(model(clean), model(shifted), labels)
        agreement.compute()

    Row i of both sets is the same sample. ``compute`` finds the certified maximum over all rows so far, on the CPU in float64;
    ``result`` is then the whole record, with the interval of PA. Batches are kept, as for an AUROC: ``compute_on_cpu=True``
    moves them to the CPU. In distributed training, batches are gathered, so that the value covers all rows.

    Parameters
    ----------
    normalized
        Divide by log k: 1 is full agreement for any k.
    kwargs
        Keyword arguments of ``torchmetrics.Metric``.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0

    clean: list[torch.Tensor]
    shifted: list[torch.Tensor]
    labels: list[torch.Tensor]

    def __init__(self, normalized: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.normalized = normalized
        self.result: Any = None
        for state in ("clean", "shifted", "labels"):
            self.add_state(state, default=[], dist_reduce_fx="cat")

    def update(self, clean: torch.Tensor, shifted: torch.Tensor, labels: torch.Tensor | None = None) -> None:
        """Adds a batch: logits (n,k) of the same n samples; ``labels`` (n) in every batch or in none."""
        name = "leeway.metrics.PosteriorAgreement"
        if clean.ndim != 2 or clean.shape != shifted.shape:
            raise leeway.Error(f"{name}: expected logits (n,k) of equal shape for both sets, found {tuple(clean.shape)} and "
                               f"{tuple(shifted.shape)}")
        if self.clean and clean.shape[1] != self.clean[0].shape[1]:
            raise leeway.Error(f"{name}: expected {self.clean[0].shape[1]} classes as in earlier batches, found {clean.shape[1]}")
        if self.clean and (labels is None) == bool(self.labels):
            raise leeway.Error(f"{name}: expected labels in every batch or in none, found {'none' if labels is None else 'some'}")
        if labels is not None and labels.shape != clean.shape[:1]:
            raise leeway.Error(f"{name}: expected labels ({len(clean)},), found {tuple(labels.shape)}")
        self.clean.append(_kept(clean))
        self.shifted.append(_kept(shifted))
        if labels is not None:
            self.labels.append(labels.detach())

    def outputs(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Clean and shifted logits and labels of all rows so far, on the CPU."""
        if not len(self.clean):
            raise leeway.Error("leeway.metrics.PosteriorAgreement: expected at least one batch, found none")
        clean, shifted = (dim_zero_cat(rows).cpu() for rows in (self.clean, self.shifted))
        return clean, shifted, dim_zero_cat(self.labels).cpu() if len(self.labels) else None

    def compute(self) -> torch.Tensor:
        """PA of all rows so far, a float64 scalar."""
        self.result = leeway.agreement(*self.outputs())
        value = self.result.pa_normalized if self.normalized else self.result.pa
        return torch.tensor(value, dtype=torch.float64, device=self.device)


def _kept(logits: torch.Tensor) -> torch.Tensor:
    logits = logits.detach()
    return logits if logits.dtype in (torch.float32, torch.float64) else logits.float()


PosteriorAgreement.__module__ = "leeway.metrics"  # where it is asked for, and where pickle finds it

"""Experiment trackers take what .metrics() gives."""

import numpy
import pytest

import leeway

pytestmark = pytest.mark.tier2


def test_mlflow_keeps_every_metric(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    logits = numpy.random.default_rng(0).normal(size=(200, 3))
    noisy = logits + numpy.random.default_rng(1).normal(size=logits.shape)
    metrics = leeway.assess(logits, {"noise 0.5": noisy, "a:b": -noisy}, paired="yes", quiet=True).metrics()
    with mlflow.start_run() as run:
        mlflow.log_metrics(metrics)
    kept = mlflow.get_run(run.info.run_id).data.metrics
    assert kept == pytest.approx(metrics) and "noise 0.5/pa" in kept and "a_b/pa" in kept

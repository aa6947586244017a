#!/usr/bin/python3
"""What the command prints with --json is what docs/schema promises. Usage: schemas_test.py BIN_FOLDER

Each record is validated, then broken: without a key that the contract names, or with a value of a wrong type there, it
must be refused, so a schema that forgets a key fails. Keys that a schema does not know are allowed. The commands that
run models are tried where the build has the model part.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs" / "schema"
BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/release/bin").resolve()

ENVELOPE = "schema command inputs seed version seconds results".split()
INPUT = "inputs.0.path inputs.0.bytes inputs.0.shape".split()
RESULT = {
    "pa": "shifted n k beta pa pa_low pa_high pa_normalized log_pa_mean log_pa_sum gap evaluations afr_pred afr_pred_low afr_true"
          " afr_true_low afr_true_high asr converged beta_shared curve curve.0.beta curve.0.value local_maxima ratios pairing"
          " pairing.evidence doubt decomposition decomposition.adv.sum entropy confidence model shift",
    "bound": "method summary error error_low error_high is_bound assumes fails",
    "bound-evaluate": "method delta n mae coverage coverage_low coverage_high overestimation violation_rate"
                      " violation_rate_low violation_rate_high exceeds_delta"
                      " adjusted adjusted.0.adjustment adjusted.0.mae points points.0.data_set points.0.truth",
    "distances": "shifted n_clean n_shifted k distances not_computed pairing pairing.words doubt",
    "mvn-cdf": "probability log_probability error log_error points converged method",
    "average-case": "method sigma probability n mean mean_low mean_high quantiles error not_converged left_out zero_gradient draws seconds"
                    " model_seconds",
    "assess": "model target n source_n k paired labelled pairing pairing.evidence accuracy accuracy_low accuracy_high source_accuracy"
              " accuracy_change accuracy_change_low afr_pred afr_true pa pa_low pa_high beta gap error_bound error_bound_terms"
              " error_bound_terms.discrepancy error_bound_terms.bound error_bound_terms.concentrations.0.bound error_bound_terms.restarts estimates estimates.cot estimates.cot_low curve"
              " local_maxima confidence confidence.edges confidence.shifted classes classes.0.class classes.0.accuracy"
              " classes.0.accuracy_low groups worst_class worst_class.class worst_class.accuracy worst_class.n worst_group confusion"
              " top_flips top_flips.0.count flips flips.0.row flips.0.agreement predicted_shares predicted_shares.clean warnings"
              " not_computed",
    "select": "checkpoint n k pa pa_low pa_high beta gap converged accuracy accuracy_low accuracy_high accuracy_shifted"
              " accuracy_shifted_low accuracy_shifted_high afr_pred afr_pred_low afr_pred_high pairing pairing.evidence doubt",
    "report": "page bytes records",
    "shift": "shift strength strength_means n n_source shape out mean_change rows_of_class",
    "shift-text": "shift strength strength_means edits column label mode words layout backslashes n n_changed n_overwritten mean_characters"
                  " mean_words mean_distance mean_words_changed out sheet sheet.0.row sheet.0.distance sheet.0.before sheet.0.after",
    "conds-draw": "name kind shifts shifts.sc train_per_cell val_per_cell test_per_cell n_train n_val n_test n_counterexamples cells_lacking out"
                  " cells cells.0.values cells.0.available cells.0.train cells.0.val cells.0.test cells.0.counterexamples cells.0.lacks",
    "data-render": "data_set n label classes only only.0.column only.0.values out out.path out.bytes attributes attributes.path sheet manifest",
    "data-load": "format n left_out shape label columns columns.0.name columns.0.n_values columns.0.values out out.path attributes attributes.bytes sheet manifest",
    "data-diagvib": "part n shape pairing draw pool environments environments.0.number environments.0.hue environments.0.texture environments.0.mean"
                    " learning_classes pairs mutual_information mean std out out.path attributes",
    "align": "shifted n d cross_domain_error cross_domain_error_low cross_domain_error_high correlation angle explained_variance_clean"
             " explained_variance_shifted class_variance_clean class_variance_clean_low class_variance_shifted projections_clean"
             " projections_shifted projection_labels pairing doubt",
    "conds-describe": "n_source n_target tests findings findings.0.kind findings.0.column findings.0.strength findings.0.text columns"
                      " columns.0.name columns.0.is_label columns.0.source_counts columns.1.sc columns.1.sc.source.cramers_v"
                      " columns.1.sc.source.cramers_v_low columns.1.sc.source.mutual_information columns.1.sc.source.p columns.1.sc.p columns.1.sc.p_holm columns.1.sc.change_p_holm"
                      " columns.1.sc.change columns.1.sc.change_low columns.0.ldd columns.0.ldd.distance columns.0.ldd.distance_low columns.0.ldd.p_holm"
                      " columns.0.ldd.source_imbalance columns.0.ldd.value columns.0.uds columns.0.uds.mass columns.0.uds.mass_high"
                      " columns.0.uds.p_holm columns.0.uds.values unseen_cells cells cells.0.values cells.0.n_source cells.0.n_target"
                      " accuracy accuracy.n accuracy.accuracy accuracy.accuracy_low accuracy.p accuracy.cells accuracy.cells.0.values accuracy.cells.0.n"
                      " accuracy.cells.0.accuracy_high",
    "list": "family summary missing members members.0.name members.0.summary members.0.source members.0.needs members.0.about"
            " members.0.weights members.0.parameters members.0.parameters.0.default members.0.parameters.0.integer",
    "sweep-plan": "stage command units kept seconds bytes",
    "sweep-run": "units jobs done_before done done_elsewhere failed blocked left",
    "sweep-status": "stage command units done failed blocked running ready waiting",
    "sweep-collect": "out stage rows units missing columns",
    "sweep-report": "algorithm case setting start value value_low value_high value_basis value_seeds value_runs value_left_out value_missing",
    "train": "plan plan.seed plan.threads plan.torch plan.groups plan.environment plan.unlabelled plan.keep_epochs epochs epochs.0.loss"
             " epochs.0.accuracy_low epochs.0.parts epochs.0.seconds best_epoch best_by_score best_by_accuracy best_by_worst_group stopped_early"
             " n_train n_validation out weights resumed_after reused kept kept.epoch kept.validation_accuracy",
    "inspect": "model format architecture parameters classes class_names input normalization normalization.mean notes confinement layers layers.0.shape"
               " cost cost.forward_seconds n accuracy_low stochastic",
    "infer": "model data out n k parameters features accuracy_low stochastic",
    "adapt": "model data out n mean_shift variance_ratio layers layers.0.name layers.0.channels layers.0.mean_shift layers.0.variance_ratio",
    "attack": "model data out target n clean_accuracy clean_accuracy_low robust_accuracy robust_accuracy_high success success_low norms"
              " zero_gradient beside_noise stochastic",
}
RECORD = {"infer": "instruction_set headline findings warnings options options.arch options.mean options.stochastic",
          "inspect": "instruction_set headline findings warnings options options.input options.no_timing",
          "sweep-plan": "headline options options.pilot folder axes units kept others combinations left_out threads jobs seconds_left bytes_in_all",
          "sweep-run": "headline options options.jobs options.retry options.no_wait options.lease options.collect folder table failures failures.0.message"
                       " failures.0.units failures.0.log",
          "sweep-status": "headline folder counts counts.units counts.waiting failures failures.0.message",
          "sweep-collect": "headline options options.stage options.columns",
          "sweep-report": "headline findings options options.case options.level roles roles.measure roles.case roles.hyperparameters runs"
                          " algorithms cases cases.0.name cases.0.concurrent settings starts seeds missing missing.0.reason changes case_means"
                          " case_means.0.value_high concurrency scratch ranks choices ways",
          "train": "instruction_set headline findings warnings options options.parameters options.select options.select_shift options.validation",
          "pa": "instruction_set headline findings warnings options options.level options.ratios options.pairing ar_gap",
          "select": "instruction_set headline findings warnings options options.as selected",
          "bound": "headline findings options options.delta options.methods source source.n source.error source.error_low target target.n"
                   " target.error inverse_temperature dis2",
          "mvn-cdf": "headline findings options options.tolerance options.log_tolerance options.max_points",
          "bound-evaluate": "headline findings options options.delta options.coverage data_sets",
          "distances": "instruction_set headline findings warnings options options.only",
          "conds-draw": "headline options options.ldd_ratio options.counterexamples options.resample options.dataset n label label.name"
                        " label.values attributes attributes.0.name",
          "conds-describe": "headline findings options options.level options.permutations options.bootstrap",
          "data-render": "headline options options.size options.sample options.split",
          "data-diagvib": "headline findings options options.environment options.part options.shift_ratio options.blank_level classes left_out sheet"
                          " manifest",
          "align": "instruction_set headline findings warnings options options.standardise options.sample",
          "data-load": "headline options options.size", "list": "headline findings options options.family",
          "report": "headline options options.flips", "shift": "headline options options.strength options.classes",
          "shift-text": "headline findings options options.column options.words options.positive options.sheet",
          "adapt": "instruction_set headline findings warnings options options.method options.statistics options.momentum options.batch",
          "attack": "instruction_set headline findings warnings options options.attack options.norm options.eps options.loss options.parameters",
          "average-case": "instruction_set headline findings warnings options options.sigma options.methods options.level options.noise n k classes_are"
                          " methods methods.0.method methods.0.summary methods.0.probability leading"
                          " against_monte_carlo class_bias class_bias.0.p_value class_bias.0.classes.0.n class_bias.0.classes.0.mean"
                          " class_bias.0.classes.0.difference class_bias.0.classes.0.p_value ranking ranking.0.classes.0.least"
                          " ranking.0.classes.0.most.0.row ranking.0.classes.0.least.0.p ranking.0.classes.0.least.0.confidence"
                          " convergence stochastic seconds_in_all model_seconds_in_all model out",
          "assess": "instruction_set headline findings warnings options options.paired options.restarts models targets class_names level"
                    " bounds bounds.assumption shifts comparisons average_case gates gates.0.key gates.0.op"
                    " gates.0.threshold gates.0.violated gates.0.violations gates.0.violations.0.value gates.0.not_computed"}


def validator(name):
    path = SCHEMAS / f"{name}.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver(path.as_uri(), schema))


def name_of(record):
    return re.fullmatch(r"leeway\.([a-z-]+)/\d+", record["schema"]).group(1)


def parent_of(record, path):
    """The object that holds the last key of a dotted path, and that key."""
    *steps, key = path.split(".")
    for step in steps:
        record = record[int(step)] if isinstance(record, list) else record[step]
    return record, key


class Records(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        (cls.folder / "examples").symlink_to(ROOT / "examples")
        rng = numpy.random.default_rng(1)
        labels = numpy.arange(120) % 3
        images = rng.integers(0, 60, (120, 1, 28, 28)) + labels[:, None, None, None] * 90
        numpy.savez(cls.folder / "images.npz", x=images.astype(numpy.uint8), y=labels)
        logits = rng.normal(0, 1, (60, 3))
        logits[numpy.arange(60), labels[:60]] += 2
        for name in ("plain", "shifted"):
            numpy.savez(cls.folder / f"{name}.npz", logits=logits, labels=labels[:60],
                        groups=(numpy.arange(60) // 3 % 2)[:, None])
            logits = logits + rng.normal(0, 2, logits.shape)
        numpy.save(cls.folder / "logits.npy", logits)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_leeway(self, arguments, status=0, environment=None):
        done = subprocess.run([str(BINARIES / "leeway"), *arguments.split(), "--json"], cwd=self.folder, capture_output=True,
                              text=True, timeout=500, check=False, env=environment)
        self.assertEqual(done.returncode, status, f"leeway {arguments}\n{done.stderr}")
        record = json.loads(done.stdout)
        self.assertIn(record["instruction_set"], ("baseline", "avx2", "avx512"))
        return record

    def valid(self, record):
        errors = validator(name_of(record)).iter_errors(record)
        errors = [f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in errors]
        self.assertEqual(errors, [], record["schema"])

    def refused_without(self, record, keys):
        checker = validator(name_of(record))
        for path in keys:
            broken = copy.deepcopy(record)
            parent, key = parent_of(broken, path)
            was = parent.pop(key)
            self.assertFalse(checker.is_valid(broken), f"{record['schema']}: accepted without {path}")
            parent[key] = "wrong" if isinstance(was, bool) else True
            self.assertFalse(checker.is_valid(broken), f"{record['schema']}: accepted {path} = {parent[key]}")

    def check(self, record):
        """A record that has all the keys of the contract."""
        name = name_of(record)
        self.valid(record)
        self.valid({**record, "a key of tomorrow": 1})
        self.refused_without(record, ENVELOPE + (INPUT if record["inputs"] else []) + RECORD.get(name, "").split())
        self.refused_without(record, [f"results.0.{key}" for key in RESULT[name].split()])

    def test_sweep(self):
        (self.folder / "study.toml").write_text(
            '[pa]\nclean = "examples/data/clean.npz"\n'
            'shifted = ["examples/data/blurred.npz", "examples/data/production.npz"]\n', encoding="utf-8")
        self.check(self.run_leeway("sweep plan study.toml --out sweep"))
        self.check(self.run_leeway("sweep run sweep --quiet", status=5))  # production has another number of rows
        self.check(self.run_leeway("sweep status sweep"))
        self.check(self.run_leeway("sweep collect sweep --out runs.csv", status=5))
        self.check(self.run_leeway("sweep report sweep --measure pa --case pa.shifted"))

    def test_pa(self):
        self.check(self.run_leeway("pa examples/data/clean.npz examples/data/blurred.npz --curve 5"))
        self.valid(self.run_leeway("pa logits.npy logits.npy --no-digest"))  # no labels; beta is "inf"
        self.valid(self.run_leeway("pa plain.npz shifted.npz logits.npy --bootstrap 20"))

    def test_pa_at_ratios(self):
        record = self.run_leeway("pa plain.npz shifted.npz --ratios 0,.5")
        self.valid(record)
        self.refused_without(record, [f"results.0.ratios.0.{key}" for key in "ratio shifted pa pa_low pa_high beta gap converged afr_pred"
                                      " afr_pred_low afr_true afr_true_high".split()])
        self.refused_without(record, [f"results.0.decomposition.adv.{key}" for key in ("n", "sum", "delta", "approximation")])

    def test_pa_summaries(self):
        record = self.run_leeway("pa plain.npz shifted.npz --summaries")
        self.valid(record)
        self.refused_without(record, [f"results.0.entropy.{key}" for key in "samples over at at.0.beta at.0.clean at.0.shifted"
                                      " at.1.clean_plain at.1.shifted_plain".split()])
        self.refused_without(record, [f"results.0.confidence.{key}" for key in "clean_right moved moved.n moved.at"
                                      " moved.at.0.beta clean_right.at.1.mean clean_right.at.1.se".split()])
        self.valid(self.run_leeway("pa logits.npy logits.npy --summaries"))  # no labels, nothing moved, beta is "inf"

    def test_pa_of_several_models(self):
        record = self.run_leeway("pa plain.npz shifted.npz --compare b=plain.npz,logits.npy --ratios 0,.5,1")
        self.valid(record)
        self.assertEqual([result["model"] for result in record["results"]], ["model", "b"])
        self.assertEqual(len(record["ar_gap"]), 1)
        self.refused_without(record, [f"ar_gap.0.{key}" for key in "shifted model_plus model_minus points points.1.pa"
                                      " points.1.ratio_plus points.1.ratio_minus points.1.gap".split()])

    def test_pa_with_a_shared_beta(self):
        record = self.run_leeway("pa plain.npz shifted.npz logits.npy --shared-beta")
        self.valid(record)
        self.assertFalse(record["results"][0]["beta_shared"])
        self.assertIsNone(record["results"][1]["gap"])
        record["results"][1]["beta_shared"] = "yes"
        self.assertFalse(validator("pa").is_valid(record))

    def test_distances(self):
        self.check(self.run_leeway("distances plain.npz shifted.npz logits.npy"))
        record = self.run_leeway("distances plain.npz shifted.npz --only cosine,kl")
        self.valid(record)
        record["results"][0]["distances"]["kl"] = -1
        self.assertFalse(validator("distances").is_valid(record))
        self.assertEqual(set(record["results"][0]["not_computed"]), {"cosine"})

    def test_mvn_cdf(self):
        numpy.save(self.folder / "z.npy", numpy.array([[1., 0, 2], [-40, -40, -40]]))
        numpy.save(self.folder / "r.npy", numpy.eye(3) + numpy.array([[0, .5, .2], [.5, 0, -.3], [.2, -.3, 0]]))
        record = self.run_leeway("mvn-cdf --upper z.npy --covariance r.npy")
        self.check(record)
        self.assertEqual(record["results"][1]["probability"], 0)
        self.assertLess(record["results"][1]["log_probability"], -2000)
        record["results"][0]["method"] = "magic"
        self.assertFalse(validator("mvn-cdf").is_valid(record))

    def test_average_case(self):
        rng = numpy.random.default_rng(2)
        numpy.save(self.folder / "f.npy", rng.normal(0, 1, (30, 3)))
        numpy.save(self.folder / "j.npy", rng.normal(0, 1, (30, 3, 4)))
        record = self.run_leeway("average-case --logits f.npy --jacobian j.npy --sigma 0.1,0.5 --report page.html")
        self.check(record)
        self.assertEqual([record["leading"], record["classes_are"]], ["taylor", "predictions"])
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("taylor says.", page)
        (self.folder / "average.json").write_text(json.dumps(record))
        self.run_leeway("report average.json --out again.html")
        self.assertEqual(page, (self.folder / "again.html").read_text(encoding="utf-8"))
        self.run_leeway("report average.json --images images.npz --out pictures.html")
        self.assertIn("data:image/png", (self.folder / "pictures.html").read_text(encoding="utf-8"))
        numpy.save(self.folder / "f1.npy", numpy.array([[1., 0, 2]]))  # one sample: no interval, classes without any
        numpy.save(self.folder / "g1.npy", numpy.eye(3)[None])
        self.valid(self.run_leeway("average-case --logits f1.npy --gram g1.npy --sigma 1"))

    def test_select(self):
        record = self.run_leeway("select --clean examples/data/clean.npz examples/data/blurred.npz "
                                 "--shifted examples/data/blurred.npz examples/data/clean.npz --names a b")
        self.check(record)
        record["selected"] |= {"pa_difference": 0, "pa_difference_low": -1, "pa_difference_high": "inf"}
        self.valid(record)
        self.refused_without(record, [f"selected.{key}" for key in "pa accuracy accuracy_shifted pa_difference pa_difference_low"
                                      " pa_difference_high pa.index accuracy.checkpoint".split()])
        self.valid(self.run_leeway("select --clean logits.npy --shifted logits.npy"))  # no labels

    def test_bound(self):
        self.check(self.run_leeway("bound --source plain.npz --target shifted.npz --methods ac,cot --bootstrap 20"))
        self.valid(self.run_leeway("bound --source plain.npz --target logits.npy --bootstrap 0 --temperature off --methods cot"))
        record = self.run_leeway("bound --source plain.npz --target shifted.npz --methods dis2 --restarts 2")
        self.valid(record)
        self.refused_without(record, [f"dis2.{key}" for key in "source_error discrepancy concentration bound n_source n_target"
                                      " validity_score concentrations concentrations.0.term restarts corollary range".split()])

    def test_bound_evaluate(self):
        (self.folder / "shifts.csv").write_text("data_set,truth,ac,cot\na,.5,.6,.4\na,.6,.6,.5\nb,.7,.9,.8\n")
        self.check(self.run_leeway("bound evaluate shifts.csv --delta .01"))
        self.valid(self.run_leeway("bound evaluate shifts.csv --methods cot"))

    def test_assess(self):
        self.check(self.run_leeway("assess --source examples/data/clean.npz --target blur=examples/data/blurred.npz "
                                   "production=examples/data/production.npz --bootstrap 20 --fail-if accuracy<0.85", status=4))
        self.valid(self.run_leeway("assess --source plain.npz --target same=plain.npz other=shifted.npz bare=logits.npy"))
        compared = self.run_leeway("assess --source a=plain.npz b=shifted.npz --target a/s=shifted.npz b/s=plain.npz")
        self.assertEqual(len(compared["comparisons"]), 1)
        self.assertTrue(compared["results"][0]["groups"])
        self.valid(compared)
        self.refused_without(compared, [f"comparisons.0.{key}"
                                        for key in "target model other n difference difference_low difference_high mcnemar_p clear".split()])
        self.assertTrue(compared["shifts"])
        self.refused_without(compared, [f"shifts.0.{key}" for key in "models target left_out n_source findings columns".split()])
        self.refused_without(compared, [f"results.0.groups.0.{key}"
                                        for key in "class group name n accuracy accuracy_low accuracy_high".split()])

    def test_assess_under_noise(self):
        rng = numpy.random.default_rng(3)
        numpy.save(self.folder / "j.npy", rng.normal(0, 1, (60, 3, 4)))
        record = self.run_leeway("assess --source plain.npz --target s=shifted.npz --jacobian j.npy --sigma 0.1,0.5 --no-bounds")
        self.valid(record)
        self.refused_without(record, [f"average_case.0.{key}" for key in "model from file source_n disagreement warnings n k leading options options.noise"
                                      " results results.0.mean class_bias.0.classes.0.name ranking.0.classes.0.least.0.row".split()])

    def test_shift(self):
        self.check(self.run_leeway("shift contrast --data images.npz --out contrast.npz"))
        (self.folder / "texts.csv").write_text("label,text\n1,some words\n0,more\n")
        self.check(self.run_leeway("shift text amplify --data texts.csv --sheet --out amplified.csv"))
        rows = self.run_leeway("shift label-subset --data images.npz --classes 0,2 --out subset.npz")
        self.valid(rows)
        self.refused_without(rows, ["results.0.rows_of_class", "results.0.rows_of_class.1.n"])

    def test_conds_draw(self):
        rows = [f"{i},{'uvw'[i % 3]},{i // 3 % 2},{i // 6 % 2}" for i in range(1200)]
        (self.folder / "table.csv").write_text("id,y,a,b\n" + "\n".join(rows) + "\n")
        common = "conds draw --attributes table.csv --label y"
        self.check(self.run_leeway(f"{common} --sc a --ldd b --plan --train 1000"))
        drawn = self.run_leeway(f"{common} --train 12 --columns a,b --sc a --out split.csv")
        self.check(drawn)
        self.assertEqual(drawn["results"][0]["out"], "split.csv")
        every = self.run_leeway(f"{common} --train 12 --columns a,b --all --out cases")
        self.check(every)
        manifest = json.loads((self.folder / "cases" / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual({**manifest, "seconds": 0}, {**every, "seconds": 0})
        logits = numpy.eye(3)[numpy.arange(1200) % 3]
        numpy.savez(self.folder / "all.npz", logits=logits, labels=numpy.arange(1200) % 3)
        self.check(self.run_leeway("conds describe --attributes table.csv --split split.csv --label y --columns a,b --outputs all.npz"
                                   " --permutations 199 --bootstrap 199"))
        self.valid(self.run_leeway("conds describe --source table.csv --label y --columns a,b --permutations 19 --bootstrap 19"))
        self.valid(self.run_leeway("conds describe --outputs plain.npz --permutations 19 --bootstrap 19"))

    def test_data_render(self):
        drawn = self.run_leeway("data render dsprites --size 16 --only shape=heart --sample 9 --out hearts.npz --attributes hearts.csv"
                                " --sheet hearts.png")
        self.check(drawn)
        manifest = json.loads((self.folder / "hearts.manifest.json").read_text(encoding="utf-8"))
        self.assertEqual({**manifest, "seconds": 0}, {**drawn, "seconds": 0})
        images = numpy.load(self.folder / "hearts.npz")
        self.assertEqual([images["x"].shape, images["y"].tolist()], [(9, 3, 16, 16), [2] * 9])
        self.valid(self.run_leeway("data render shapes3d --protocol --sample 5 --attributes rooms.csv"))
        self.valid(self.run_leeway("data render shapes3d --size 8 --table rooms.csv --out rooms.npz"))

    def test_data_load(self):
        layouts = ROOT / "tests" / "reference" / "layouts"
        self.check(self.run_leeway(f"data load smallnorb {layouts}/norb-dat.mat --out toys.npz --attributes toys.csv"))
        self.valid(self.run_leeway(f"data load celeba {layouts}/list_attr_celeba.txt --attributes faces.csv"))
        self.valid(self.run_leeway(f"data load folder {layouts}/folders --out pictures.npz --label domain"))

    def test_data_diagvib(self):
        digits = numpy.zeros((40, 1, 28, 28), numpy.uint8)
        for i in range(40):
            digits[i, 0, 4:24, 10 + i % 5:16] = 255
        for name in ("digits", "test-digits"):
            numpy.savez(self.folder / f"{name}.npz", x=digits, y=numpy.arange(40) % 10)
        common = "data diagvib --digits digits.npz --test-digits test-digits.npz --size 28 --n 6 --environment"
        drawn = self.run_leeway(f"{common} discriminability --out train_env.npz --attributes env.csv")
        self.check(drawn)
        manifest = json.loads((self.folder / "train_env.manifest.json").read_text(encoding="utf-8"))
        self.assertEqual({**manifest, "seconds": 0}, {**drawn, "seconds": 0})
        pairs = self.run_leeway(f"{common} 3-cgo --part all --out pairs --sheet pairs.png")
        self.valid(pairs)
        self.refused_without(pairs, ["results.0.pairs", "sheet.path", "results.2.learning_classes"])

    def test_align(self):
        rng = numpy.random.default_rng(4)
        features = rng.normal(0, 1, (60, 4))
        for name, moved in (("before", features), ("after", features + rng.normal(0, .1, features.shape))):
            numpy.savez(self.folder / f"{name}.npz", logits=features[:, :3], features=moved, labels=numpy.arange(60) % 3)
        self.check(self.run_leeway("align before.npz after.npz before.npz --sample 40 --report align.html"))
        self.assertIn("alignment", (self.folder / "align.html").read_text(encoding="utf-8"))

    def test_list(self):
        self.check(self.run_leeway("list shifts"))
        self.valid(self.run_leeway("list"))
        without = self.run_leeway("list", environment={"LEEWAY_NN_LIBRARY": "/nonexistent"})
        self.valid(without)
        self.refused_without(without, ["results.0.missing"])

    def test_report(self):
        self.run_leeway("assess --source plain.npz --target s=shifted.npz --out record.json")
        self.check(self.run_leeway("report record.json --out page.html"))

    def test_models(self):
        if subprocess.run([BINARIES / "leeway", "list", "attacks"], capture_output=True, check=False).returncode == 1:
            self.skipTest("this build has no model part")
        train = "train --data images.npz --arch linear --epochs 1 --threads 1 --seed 1"
        self.check(self.run_leeway(f"{train} --out linear.safetensors"))
        (self.folder / "index.csv").write_text("index,split\n" + "".join(f"{i},{'train' if i % 3 else 'val'}\n" for i in range(60)))
        named = self.run_leeway(f"{train} --index index.csv --out named.safetensors")
        self.valid(named)
        self.assertEqual([named["results"][0][key] for key in ("n_train", "n_validation")], [40, 20])
        self.valid(self.run_leeway(f"{train} --algorithm pgd --set steps=1 --out robust.safetensors"))
        chosen = self.run_leeway(f"{train} --select pa --select-shift gaussian-noise:0.2 --keep-epochs kept --out pa.safetensors")
        self.check(chosen)
        self.assertEqual(chosen["options"]["select_shift"], "gaussian-noise:0.2")
        self.check(self.run_leeway("infer --model linear.safetensors --data images.npz --out outputs.npz"))
        self.check(self.run_leeway("inspect linear.safetensors --data images.npz"))
        self.check(self.run_leeway("attack --model linear.safetensors --data images.npz --out attacked.npz"))
        self.run_leeway("train --data images.npz --arch resnet20-cifar --epochs 1 --threads 1 --seed 1 --out resnet.safetensors")
        self.check(self.run_leeway("adapt --model resnet.safetensors --data images.npz --out adapted.safetensors"))
        self.valid(self.run_leeway("adapt --model resnet.safetensors --data images.npz --statistics ema --out running.safetensors"))
        nearest = self.run_leeway("attack --model linear.safetensors --data images.npz --attack fmn --norm l2 --steps 5 --out near.npz")
        self.check(nearest)
        self.refused_without(nearest, [f"results.0.norms.{key}" for key in "median median_low median_high lower_quartile upper_quartile"
                                       " curve curve.0.radius curve.0.robust_accuracy curve.0.robust_accuracy_low".split()])
        survived = self.run_leeway("average-case --model linear.safetensors --data images.npz --rows 30 --sigma 0.1 --methods mc,mmse"
                                   " --draws 20 --convergence --report survived.html")
        self.check(survived)
        self.refused_without(survived, [f"against_monte_carlo.0.{key}" for key in "mean_absolute_error mean_absolute_error_low mean_absolute_error_high bias monte_carlo_error"
                                        " rank_correlation".split()] + ["convergence.0.copies", "convergence.0.n", "convergence.0.mean_change"])
        assessed = self.run_leeway("assess --source outputs.npz --target same=outputs.npz --model linear.safetensors --images images.npz"
                                   " --sigma 0.1 --survival-rows 30 --no-bounds")
        self.valid(assessed)
        self.refused_without(assessed, ["average_case.0.disagreement"])
        self.assertIn("data:image/png", (self.folder / "survived.html").read_text(encoding="utf-8"))
        self.valid(self.run_leeway("attack --model linear.safetensors --data images.npz --attack fgsm --out fgsm.npz"))
        self.valid(self.run_leeway("demo --folder demo --train images.npz --test images.npz --epochs 1 --robust-epochs 1"))

    def test_every_record_has_a_schema_and_none_is_written_by_hand(self):
        def named(folder):
            return {found for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp")
                    for found in re.findall(r'"leeway\.([a-z-]+)/\d+"', path.read_text(encoding="utf-8"))}

        # Besides: what all records share, and the text of a training in its weights' file.
        self.assertEqual(sorted(named("leeway/record") - {"training"}),
                         sorted({path.stem for path in SCHEMAS.glob("*.json")} - {"envelope"}))
        self.assertEqual(sorted(named("apps")), [])


if __name__ == "__main__":
    unittest.main()

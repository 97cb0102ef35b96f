"""Tests of the package bench, run by cmd/python_test.go with the program on the PATH."""

import json
import linecache
import os
import sys
import tempfile
import textwrap
import types
import unittest
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bench
from bench import _program
from bench._source import Source
from benchplugin import per_feature

SCALE = 2.0
X = object()  # no file can hold it; a parameter of the same name is not it


def gram(X):
    return SCALE * (X.T @ X)


class Ridge:
    grid = {"penalty": [0.1, 10.0]}

    def __init__(self, penalty=1.0):
        self.penalty = penalty

    def fit(self, X, y):
        self.w = np.linalg.solve(gram(X) + self.penalty * np.eye(X.shape[1]), X.T @ y)

    def decision_function(self, X):
        return X @ self.w


class Slow(Ridge):
    def fit(self, X, y):
        for _ in range(20):
            super().fit(X, y)


class Bad:
    def fit(self, X, y):
        return X + undefined_name  # noqa: F821


def of_main(thing):
    """A class or function as one of the program's main file, which no other process can import."""
    thing.__module__ = "__main__"
    return thing


for thing in (Ridge, Slow, Bad, gram):
    of_main(thing)
main = sys.modules["__main__"]
for name in ("np", "SCALE", "X", "gram", "Ridge"):
    setattr(main, name, globals()[name])


def notebook(text, **around):
    """Runs text as a cell of a notebook does: in a module without a file, known to linecache alone."""
    for name, value in around.items():
        setattr(main, name, value)
    file = f"/tmp/ipykernel_1/{abs(hash(text))}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), main.__dict__)


class SourceTest(unittest.TestCase):
    def made(self, thing, name):
        source = Source()
        expression = source.expression(thing, name)
        space = {"__name__": "elsewhere"}
        exec(source.text(), space)
        return eval(expression, space), source.text()

    def same_scores(self, ours, theirs):
        draws = np.random.RandomState(1)
        rows, labels = draws.normal(size=(50, 3)), np.sign(draws.normal(size=50))
        ours.fit(rows, labels), theirs.fit(rows, labels)
        np.testing.assert_array_equal(ours.decision_function(rows), theirs.decision_function(rows))

    def test_class_with_what_it_uses(self):
        made, text = self.made(Slow, "Slow")
        self.same_scores(made(3.0), Slow(3.0))
        self.assertNotIn("object()", text)
        self.assertEqual(text, self.made(Slow, "Slow")[1], "the text of a class is the same each time")

    def test_class_of_a_notebook(self):
        notebook(textwrap.dedent("""
            def halved(v):
                return v / 2

            class Noted:
                def __init__(self, scale=1.0):
                    self.scale = scale
                def fit(self, X, y):
                    self.w = halved(X.T @ y) * self.scale
                def decision_function(self, X):
                    return X @ self.w
        """))
        made, _ = self.made(main.Noted, "Noted")
        self.same_scores(made(), main.Noted())

    def test_estimators(self):
        pipeline = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(C=0.5, max_iter=1000))
        made, text = self.made(pipeline, "pipeline")
        self.assertEqual(str(made), str(pipeline))
        self.assertIn("from sklearn.linear_model import LogisticRegression", text)
        self.same_scores(made, pipeline)

    def test_values(self):
        for value in (None, True, -3, 0.1, float("inf"), "it's", [1, (2.5,), {"a": set()}], np.float64(0.25), np.int64(3)):
            self.assertEqual(self.made(value, "value")[0], value)
        table = np.arange(6, dtype=np.int32).reshape(2, 3)
        made, _ = self.made(table, "table")
        np.testing.assert_array_equal(made, table)
        self.assertEqual(made.dtype, table.dtype)
        self.assertIsInstance(self.made(per_feature([0.5, 1]), "gamma")[0], per_feature)

    def test_what_no_file_can_hold(self):
        with self.assertRaisesRegex(TypeError, "grid is <.*cannot be written"):
            Source().expression(object(), "grid")
        with self.assertRaisesRegex(NameError, "Bad uses undefined_name"):
            Source().expression(Bad, "Bad")
        notebook("handle = open('/dev/null')\nclass Reads:\n    def fit(self, X, y):\n        return handle\n")
        with self.assertRaisesRegex(TypeError, "handle, which Reads uses, is"):
            Source().expression(main.Reads, "Reads")
        main.handle.close()

    def test_modules_of_two_folders(self):
        for name in ("one", "two"):
            folder = tempfile.mkdtemp()
            module = types.ModuleType(name)
            module.__file__ = os.path.join(folder, name + ".py")
            sys.modules[name] = module
        with self.assertRaisesRegex(TypeError, "modules of two folders"):
            notebook("class Both:\n    def fit(self, X, y):\n        return one, two\n", one=sys.modules["one"], two=sys.modules["two"])
            Source().expression(main.Both, "Both")


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)

    def test_run_and_ask(self):
        logistic = bench.method(LogisticRegression(max_iter=1000), grid={"C": [0.1, 1.0]}, name="Logit")
        found = bench.run([Ridge, logistic, "CART"], ["swiss", "circles"], splits=2, keep="none")
        frame = found.frame
        self.assertEqual(len(frame), 12)
        self.assertEqual(set(frame.status), {"ok"})
        self.assertEqual(sorted(set(frame.method)), ["CART", "Logit", "Ridge"])
        counted = found.query("SELECT method, sum(n_correct) AS n FROM results GROUP BY method").set_index("method").n
        self.assertEqual(counted.to_dict(), frame.groupby("method").n_correct.sum().to_dict())
        self.assertIn("Ridge", str(found.compare("Ridge", "CART")))
        self.assertIn("|", found._repr_markdown_())
        self.assertTrue(found.report("cd").figure()._repr_svg_().startswith("<?xml"))
        found.table().save("t.tex")
        with open("t.tex") as f:
            self.assertIn("tabular", f.read())
        found.report("cd").figure().save("cd.pdf")
        with open("cd.pdf", "w") as f:
            f.write("mine")
        with self.assertRaisesRegex(bench.Error, "cd.pdf is there, .*add force=True"):
            found.report("cd").figure().save("cd.pdf")
        found.report("cd").figure().save("cd.pdf", force=True)
        runs = "SELECT count(*) AS n FROM history"
        before = found.query(runs).n[0]
        again = bench.run([Ridge, logistic, "CART"], ["swiss", "circles"], splits=2, keep="none")
        self.assertEqual(again.query(runs).n[0], before, "what is stored is not run again")
        one = bench.results(methods=["CART"], datasets=["swiss"], splits="2-2").frame
        self.assertEqual([tuple(row) for row in one[["method", "dataset", "split"]].values], [("CART", "swiss", 2)])

    def test_changed_class_is_another_version(self):
        text = "class Mine:\n    def fit(self, X, y):\n        self.w = X.T @ y\n    def decision_function(self, X):\n        return X @ self.w\n"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the guess of a grid
            notebook(text)
            first = bench.run([main.Mine], ["swiss"], splits=1, keep="none").frame
            notebook(text.replace("X.T @ y", "-X.T @ y"))
            second = bench.run([main.Mine], ["swiss"], splits=1, keep="none").frame
        self.assertNotEqual(first.method_version[0], second.method_version[0])
        self.assertEqual(first.n_correct[0] + second.n_correct[0], first.n_test[0])

    def test_guess_is_said(self):
        notebook("class Guessing:\n    def __init__(self, penalty=1.0):\n        self.penalty = penalty\n"
                 "    def fit(self, X, y):\n        self.w = np.linalg.solve(gram(X) + self.penalty * np.eye(X.shape[1]), X.T @ y)\n"
                 "    def decision_function(self, X):\n        return X @ self.w\n")
        with self.assertWarnsRegex(UserWarning, "the grid of Guessing is guessed.*'penalty': \\[0.1, 1.0, 10.0\\]"):
            bench.run([main.Guessing], ["swiss"], splits=1, keep="none")

    def test_data(self):
        import pandas

        draws = np.random.RandomState(2)
        rows = draws.normal(size=(90, 2))
        labels = np.where(rows[:, 0] > 0, "yes", "no")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is to be checked
            files = [bench.dataset(pandas.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "said": labels}), "framed", label="said", positive="yes"),
                     bench.dataset((rows, labels), "arrays")]
            found = bench.run(["CART"], files, splits=1, keep="none").frame
        self.assertEqual(list(found.dataset), ["arrays", "framed"])
        self.assertTrue((found.accuracy > 0.9).all())
        with self.assertRaisesRegex(bench.Error, "outcom"):
            bench.dataset(files[0].replace(".toml", ".csv"), label="outcom")

    def test_nothing_of_the_users_is_replaced(self):
        """Frames do not go beside the user's files; what the user wrote or edited stays, until it is forced."""
        import pandas

        draws = np.random.RandomState(3)
        frame = pandas.DataFrame({"a": draws.normal(size=60), "told": np.arange(60) % 2, "y": np.where(np.arange(60) % 2, "yes", "no")})
        frame.to_csv("loans.csv", index=False)
        with open("loans.csv", "a") as f:
            f.write("0.5,1,yes\n")
        with open("loans.csv") as f:
            mine = f.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            framed = bench.dataset(frame, name="loans", drop=["told"])
            self.assertEqual(bench.dataset(frame, name="loans", drop="told"), framed, "the same frame has the same place")
            self.assertNotEqual(os.path.dirname(bench.dataset(frame, name="loans")), os.path.dirname(framed))
            self.assertEqual(os.listdir("."), ["loans.csv"])
            toml = bench.dataset("loans.csv", drop=["told"])
            bench.dataset("loans.csv", drop=["told"])
            with open(toml, "a") as f:
                f.write("# mine\n")
            with self.assertRaisesRegex(bench.Error, "it was changed since this program wrote it; "
                                        ".*add force=True to replace it"):
                bench.dataset("loans.csv")
            with open(toml) as f:
                edited = f.read()
            self.assertTrue(edited.endswith("# mine\n"))
            self.assertIn('drop = ["told"]', edited)
            bench.dataset("loans.csv", force=True)
            with open(toml) as f:
                self.assertNotIn("mine", f.read())
        with open("loans.csv") as f:
            self.assertEqual(f.read(), mine)
        with self.assertRaisesRegex(bench.Error, '^drop: .*no column "tolds".*did you mean "told"'):
            bench.dataset(frame, name="loans", drop=["tolds"])

    def test_groups(self):
        """Rows of one patient are on one side of the test and of each fold."""
        patients = np.repeat(np.arange(30), 3)
        lines = [f"{p},{p % 7},{i % 5},{'ill' if p % 3 == 0 else 'well'}" for i, p in enumerate(patients)]
        with open("clinic.csv", "w") as f:
            f.write("\n".join(["patient,age,dose,outcome", *lines]) + "\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            toml = bench.dataset("clinic.csv", label="outcome", group="patient")
        split = json.loads(_program.call("data", "splits", toml, "--format", "json"))
        train = patients[split["train"]]
        self.assertEqual(sorted(split["train"] + split["test"]), list(range(90)))
        self.assertFalse(set(train) & set(patients[split["test"]]))
        folds = [set(train[fold]) for fold in split["folds"]]
        self.assertEqual(sum(map(len, folds)), len(set(train)))
        with self.assertRaisesRegex(bench.Error, 'no column "patients".*did you mean "patient"'):
            bench.dataset("clinic.csv", label="outcome", group="patients")

    def test_numbers_and_dates_as_people_write_them(self):
        """What a file does not show of its numbers and dates is said by arguments."""
        with open("visits.csv", "w") as f:
            f.write("income;visited;y\n")
            f.writelines(f"{10 + i},{i * 17 % 1000:03d};{1 + i % 9}/{1 + i % 7}/2020;{'uv'[i % 2]}\n"
                         for i in range(40))
        with self.assertRaisesRegex(bench.Error, "[^-]thousands(.|\n)*[^-]date_order"):
            bench.dataset("visits.csv", label="y")
        with self.assertWarnsRegex(UserWarning, "visited.days, visited.month, visited.weekday"):
            toml = bench.dataset("visits.csv", label="y", thousands=",", date_order="mdy")
        with open(toml) as f:
            text = f.read()
        for line in ('thousands = ","', 'dates = ["visited"]', 'date_order = "mdy"'):
            self.assertIn(line + "\n", text)

    def test_errors(self):
        with self.assertRaisesRegex(bench.Error, "did you mean CART"):
            bench.run(["CARTT"], ["swiss"])
        with self.assertRaisesRegex(bench.Error, "there is no database none.db"):
            bench.results("none.db")
        os.mkdir("plugins")
        with open("plugins/ridge.py", "w") as f:
            f.write("# mine\n")
        with self.assertRaisesRegex(FileExistsError, "ridge.py is there"):
            bench.run([Ridge], ["swiss"])
        bench.run([Ridge], ["swiss"], splits=1, keep="none", force=True)
        with open("plugins/ridge.py", "a") as f:
            f.write("# edited\n")
        with self.assertRaisesRegex(FileExistsError, "ridge.py is there, .*edited since"):
            bench.run([Ridge], ["swiss"], splits=1, keep="none")

    def test_interrupt(self):
        said = []

        def interrupting(*what, **how):
            said.append(what)
            if len(said) == 1:
                raise KeyboardInterrupt

        _program.print = interrupting
        try:
            bench.run([Slow], ["swiss", "circles"], splits=20, keep="none")
        except KeyboardInterrupt:
            pass
        finally:
            del _program.print
        self.assertEqual(len(bench.run([Slow], ["swiss", "circles"], splits=20, keep="none").frame), 40)


if __name__ == "__main__":
    unittest.main()

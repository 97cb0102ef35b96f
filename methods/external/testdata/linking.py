from benchplugin import serve
import os, pickle
import benchplugin._serve as side
def everywhere(kinds):
    for n in range(1, 60):
        for kind in kinds:
            try:
                os.symlink("@VICTIM@", os.environ["TMPDIR"] + "/%s%d.npy" % (kind, n))
            except OSError:
                pass
def save(self, r):
    with open(r["out"], "wb") as f:
        f.write(b"a model")
    everywhere("@KINDS@")
side.Server.op_save = save
side.Server.op_load = lambda self, r: None
class Links:
    def fit(self, X, y): pass
    def decision_function(self, X): return X[:, 0]
serve(Links, save=True)

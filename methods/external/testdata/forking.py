from benchplugin import serve
import os, sys, tempfile, signal
seen = []
kept = tempfile.mkstemp()
os.close(kept[0])
class Remembers:
    def __init__(self, how=0):
        self.how = how
    def fit(self, X, y):
        self.before = len(seen)
        seen.append(1)
        try:
            with open(kept[1], "a") as f:
                f.write("x")
            self.before += 100
        except PermissionError:
            pass
        try:
            os.kill(os.getppid(), signal.SIGCONT)
            self.before += 1000
        except PermissionError:
            pass
        with tempfile.NamedTemporaryFile("a+") as own:
            own.write("x")
        if self.how == 1: os._exit(3)
        if self.how == 2: os.kill(os.getpid(), signal.SIGSEGV)
    def decision_function(self, X):
        return X[:, 0] + self.before
serve(Remembers, grid={"how": [0]})

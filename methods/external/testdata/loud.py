from benchplugin import serve
import os, subprocess, sys, types
print("at import")
sys.modules["made"] = types.ModuleType("made")  # as PyTorch makes modules, with names of files that are nowhere
sys.modules["made"].__file__ = "_made.py"

class Loud:
    def fit(self, X, y):
        print("fitting", flush=True)
        os.write(1, b"from below\n")
        subprocess.run(["sh", "-c", "echo from a process; cat"], check=True)
        assert sys.stdin.read() == ""
    def decision_function(self, X):
        print("scoring")
        return X[:, 0]

serve(Loud)

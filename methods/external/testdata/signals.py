from benchplugin import serve
import os
class Signals:
    def fit(self, X, y):
        for thread in range(os.getppid(), os.getppid() + 200):
            if thread != os.getpid():
                try:
                    os.kill(thread, 0)
                except OSError:
                    continue
                raise ValueError(f"{thread} of {os.getppid()} can be signalled by {os.getpid()}")
    def decision_function(self, X):
        return X[:, 0]
serve(Signals)

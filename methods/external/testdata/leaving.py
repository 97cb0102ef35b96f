from benchplugin import serve
import os, time
class Leaves:
    def fit(self, X, y):
        for leave in (lambda: os.setpgid(0, 0), os.setsid):
            ready, told = os.pipe()
            pid = os.fork()
            if pid == 0:
                leave()
                os.write(told, b"!")
                time.sleep(1000)
            os.read(ready, 1)
        os.setpgid(0, pid - 1)
    def decision_function(self, X):
        return X[:, 0]
serve(Leaves)

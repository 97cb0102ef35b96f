from benchplugin import serve
import os, time
class Leaves:
    def fit(self, X, y):
        self.all = [os.getpid()]
        for leave in (lambda: os.setpgid(0, 0), os.setsid):
            ready, told = os.pipe()
            pid = os.fork()
            if pid == 0:
                leave()
                os.write(told, b"!")
                time.sleep(1000)
            os.read(ready, 1)
            self.all.append(pid)
        os.setpgid(0, self.all[1])
    def decision_function(self, X):
        return [self.all[i % 3] for i in range(len(X))]
serve(Leaves)

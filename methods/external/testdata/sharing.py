import benchplugin._serve as side
from benchplugin import serve
import mmap, os, signal, sys, tempfile, time
side.write_below = lambda folder, devices: None
how = "@HOW@"
page = mmap.mmap(-1, 4096) if how == "memory" else None
pipe = os.pipe() if how == "pipe" else None
folder = os.environ["TMPDIR"]
told = []
if how in ("signal", "woken"):
    signal.signal(signal.SIGUSR1, lambda *a: told.append(1))
class Shares:
    def fit(self, X, y):
        self.before = 0
        if page:
            self.before, page[0] = page[0], 1
        if pipe:
            os.set_blocking(pipe[0], False)
            try:
                self.before = len(os.read(pipe[0], 1))
            except BlockingIOError:
                pass
            os.write(pipe[1], b"x")
        if how == "file":
            self.before = os.path.exists(folder + "/seen")
            try:
                open(folder + "/seen", "w").close()
            except OSError:
                pass
        if how == "signal":
            self.before = len(told)
            try:
                os.kill(os.getppid(), signal.SIGUSR1)
            except OSError:
                pass
        if how == "woken":
            self.before = len(told)
            try:
                for s in (signal.SIGCONT, signal.SIGUSR1, 0, signal.SIGSTOP):
                    os.kill(os.getppid(), s) if s else time.sleep(0.1)
            except OSError:
                pass
    def decision_function(self, X):
        return X[:, 0] + self.before
serve(Shares)

from benchplugin import serve
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

def double(v, to):
    print("from a process of the method")
    to.send(2 * v)

class Pooled:
    def __init__(self, pool=0):
        self.pool = pool
    def fit(self, X, y):
        many = get_context("spawn")
        if self.pool:
            ProcessPoolExecutor(2, mp_context=many)
        self.parts = []
        for v in [1.0, 2.0]:
            ours, theirs = many.Pipe()
            each = many.Process(target=double, args=(v, theirs))
            each.start()
            self.parts.append(ours.recv())
            each.join()
    def decision_function(self, X):
        return X[:, 0] * sum(self.parts)

serve(Pooled)

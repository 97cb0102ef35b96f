package svm

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/test/testsplit"
)

// libsvmTimes prints the least processor time of three fits of scikit-learn's libsvm to a kernel
// matrix, for the classifier and the regressor.
const libsvmTimes = `
import json, sys, time
import numpy as np
from sklearn.svm import SVC, SVR
n = int(sys.argv[2])
raw = np.fromfile(sys.argv[1])
gram, y = raw[:n * n].reshape(n, n), raw[n * n:]
times = {}
for name, machine in ("SVC", SVC(kernel="precomputed", C=1)), ("SVR", SVR(kernel="precomputed", C=1, epsilon=0.1)):
    took = []
    for _ in range(3):
        start = time.process_time()
        machine.fit(gram, y)
        took.append(time.process_time() - start)
    times[name] = min(took)
print(json.dumps(times))
`

// BenchmarkBesideLibsvm reports how many times longer scikit-learn's libsvm takes for a cold solve at
// C = 1 with the same tolerance and the same matrix, of a Gaussian kernel of coefficient 1/d. BENCH_PEERS
// names a Python that has scikit-learn.
func BenchmarkBesideLibsvm(b *testing.B) {
	python := testenv.Python(b)
	for _, name := range []string{"pima", "splice", "spambase"} {
		train, _ := testsplit.Load(b, name, 1)
		n, d := train.X.Dims()
		kernel := kernelFunction("rbf", 1/float64(d))
		whole := gramOf[float64](train.X, kernel)
		path := filepath.Join(b.TempDir(), "gram")
		file := must.Get(os.Create(path))(b)
		for i := range n {
			must.Do(b, binary.Write(file, binary.LittleEndian, whole.At(i)[:n]))
		}
		must.Do(b, binary.Write(file, binary.LittleEndian, train.Y))
		must.Do(b, file.Close())
		out, err := exec.CommandContext(b.Context(), python, "-W", "ignore", "-c", libsvmTimes, path,
			fmt.Sprint(n)).Output()
		if err != nil {
			b.Fatal(err)
		}
		theirs := map[string]float64{}
		must.Do(b, json.Unmarshal(out, &theirs))
		k := gramOf[float32](train.X, kernel)
		for kind, p := range map[string]Problem{"SVC": Classification(train.Y, 1), "SVR": Regression(train.Y, 0.1, 1)} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				var s Solver[float32]
				var took []float64
				for b.Loop() {
					var sol Solution
					start := time.Now()
					must.Do(b, s.Solve(b.Context(), k, p, &sol))
					took = append(took, time.Since(start).Seconds())
				}
				b.ReportMetric(theirs[kind]/slices.Min(took), "theirs/ours")
			})
		}
	}
}

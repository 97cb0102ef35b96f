package methods_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// BenchmarkBeside fits a method and another library's on the same rows in turns, one thread each. It reports the median
// processor time of theirs over ours beside that of the last table, testdata/beside.csv, which -update writes anew.
// make figures runs it. BENCH_PEERS is the Python that has the libraries.
func BenchmarkBeside(b *testing.B) {
	const million = "1000000x20"
	table := filepath.Join("testdata", "beside.csv")
	last := map[string]string{}
	text := must.Get(os.ReadFile(table))(b)
	for _, row := range must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())(b) {
		last[strings.Join(row[:3], "/")] = row[4]
	}
	e := environment.Current()
	level := []string{"without AVX2", "AVX2", "AVX-512"}[vmath.Level()]
	machine := fmt.Sprintf("%s, %d cores, %s", e.CPU, e.Cores, level)
	rows := [][]string{{"method", "set", "library", "ours, s", "theirs over ours", machine}}
	ask := besides(b)
	for _, c := range []struct{ method, setting, library, sets string }{
		{"LGBM", `{"max_depth":5}`, "LightGBM", "german spambase splice 1000000x20"},
		{"XGB", `{"max_depth":5}`, "XGBoost", "german spambase splice"},
		{"RF", `{"trees":100}`, "scikit-learn's RandomForestClassifier", "german spambase splice"},
		{"CART", `{}`, "scikit-learn's DecisionTreeClassifier", "german spambase splice"},
		{"SVM", `{"gamma":%v}`, "scikit-learn's SVC", "german spambase splice"},
		{"Logistic", `{"c":1}`, "scikit-learn's LogisticRegression", "german spambase splice 1000000x20"},
	} {
		for _, set := range strings.Fields(c.sets) {
			name := strings.Join([]string{c.method, set, c.library}, "/")
			b.Run(name, func(b *testing.B) {
				var train registry.Data
				if set == million {
					train = toydata.Easy(registry.Binary, 1_000_000, 20, 5)
				} else {
					train, _ = fits.Load(b, set, 1)
				}
				setting := strings.ReplaceAll(c.setting, "%v", fmt.Sprint(1/float64(train.Shape().D)))
				spec := lookup(b, c.method)
				var ours, theirs []float64
				for b.Loop() {
					theirs = append(theirs, ask(b, c.library, train))
					ours = append(ours, processes.CPUTimeOf(func() { fits.Fit(b, spec, 1, train, setting) }))
				}
				slices.Sort(ours)
				slices.Sort(theirs)
				ratio := theirs[len(theirs)/2] / ours[len(ours)/2]
				before, _ := strconv.ParseFloat(last[name], 64) // 0 where the row is new
				b.ReportMetric(ours[len(ours)/2], "cpu-s")
				b.ReportMetric(ratio, "theirs/ours")
				b.ReportMetric(before, "last")
				rows = append(rows, []string{c.method, set, c.library, fmt.Sprintf("%.3g", ours[len(ours)/2]),
					fmt.Sprintf("%.3g", ratio), ""})
			})
		}
	}
	if *update {
		file := must.Get(os.Create(table))(b)
		must.Do(b, csv.NewWriter(file).WriteAll(rows))
		must.Do(b, file.Close())
	}
}

// besides starts testdata/beside.py. The function that it returns is the processor time of a fit by a library. It skips
// the benchmark, and says why, where the library is not there.
func besides(b *testing.B) func(b *testing.B, library string, train registry.Data) float64 {
	python := exec.Command(cmp.Or(os.Getenv("BENCH_PEERS"), "python3"), filepath.Join("testdata", "beside.py"))
	python.Stderr = os.Stderr
	in, out := must.Get(python.StdinPipe())(b), must.Get(python.StdoutPipe())(b)
	must.Do(b, python.Start())
	b.Cleanup(func() { in.Close(); _ = python.Wait() })
	requests, answers := json.NewEncoder(in), json.NewDecoder(out)
	return func(b *testing.B, library string, train registry.Data) float64 {
		request := map[string]any{"library": library, "d": train.Shape().D}
		for name, values := range map[string][]float64{"x": fitting.Rows(train.X), "y": train.Y} {
			file := filepath.Join(b.TempDir(), name)
			must.Do(b, os.WriteFile(file, must.Get(binary.Append(nil, binary.NativeEndian, values))(b), 0o600))
			request[name] = file
		}
		must.Do(b, requests.Encode(request))
		var answer struct {
			Seconds float64
			Missing string
		}
		if err := answers.Decode(&answer); err != nil || answer.Missing != "" {
			b.Skipf("%s is not there: %s (BENCH_PEERS) %v", library, answer.Missing, err)
		}
		return answer.Seconds
	}
}

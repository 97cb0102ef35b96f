package environment

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/system/processes"
)

// referenceYardstick is the processor time of the yardstick on the machine of the reference run, in seconds.
const referenceYardstick = 0.003

// repetitions is how often the yardstick is measured: about a tenth of a second in all.
const repetitions = 30

// Slowness returns how many times as long as on the machine of the reference run this machine is expected to take: the
// ratio of the times of a yardstick.
func Slowness() float64 { return Measured().Yardstick.Low / referenceYardstick }

// Forced is the slowness that BENCH_YARDSTICK names instead of a measurement, 0 where it names none.
func Forced() (float64, error) {
	text := os.Getenv("BENCH_YARDSTICK")
	if text == "" {
		return 0, nil
	}
	forced, err := strconv.ParseFloat(text, 64)
	if err != nil || !(forced > 0) || math.IsInf(forced, 1) {
		return 0, fmt.Errorf("BENCH_YARDSTICK is %q; it must be a number above 0, such as 0.25 or 4, or not be set",
			text)
	}
	return forced, nil
}

// Measured is Current with the yardstick: the lower quartile of a measurement's repetitions, and of all measurements
// the third least, or the greatest while they are fewer. Whatever else the machine does makes a time longer. Yet
// virtual machines count processor time short now and then, for most repetitions of a measurement once in thousands,
// and the least of all measurements would keep that for ever. The three least are kept in the user's cache directory,
// and one measurement is made where none is kept.
func Measured() result.Environment { return measured(false) }

// Measure is Measured after another measurement.
func Measure() result.Environment { return measured(true) }

func measured(again bool) result.Environment {
	e := Current()
	if forced, err := Forced(); err == nil && forced > 0 { // the command line has refused an error
		e.Yardstick = yardstickOf(forced * referenceYardstick)
		return e
	}
	type kept struct {
		CPU     string
		Cores   int
		Seconds []float64 // of the least measurements, in rising order
	}
	var known kept
	var file string
	if dir, err := os.UserCacheDir(); err == nil {
		file = filepath.Join(dir, "bench", "yardstick.json")
		if text, err := os.ReadFile(file); err != nil || strictjson.Unmarshal(text, &known) != nil ||
			known.CPU != e.CPU || known.Cores != e.Cores ||
			slices.ContainsFunc(known.Seconds, func(s float64) bool { return !(s > 0) }) {
			known.Seconds = nil
		}
	}
	if again || len(known.Seconds) == 0 {
		var times []float64
		for range repetitions {
			times = append(times, yardstick())
		}
		slices.Sort(times)
		known = kept{e.CPU, e.Cores, slices.Sorted(slices.Values(append(known.Seconds, times[repetitions/4])))}
		known.Seconds = known.Seconds[:min(3, len(known.Seconds))]
		if file != "" && os.MkdirAll(filepath.Dir(file), 0o755) == nil {
			// without the file it is measured again
			_ = files.Write(file, func(w io.Writer) error { return json.NewEncoder(w).Encode(known) })
		}
	}
	e.Yardstick = yardstickOf(known.Seconds[len(known.Seconds)-1])
	return e
}

func yardstickOf(seconds float64) result.Yardstick {
	return result.Yardstick{Seconds: seconds, Low: seconds, High: seconds}
}

// yardstick returns the processor time in seconds of work of the kinds that methods do: a product of matrices,
// exponentials, sorting, and passes over memory. It is plain Go, so that it measures the machine and not the build. If
// the work changes, stored ratios are no longer those of one yardstick.
func yardstick() float64 {
	const side, many = 128, 1 << 19
	return processes.CPUTimeOf(func() {
		a, b, c := make([]float64, side*side), make([]float64, side*side), make([]float64, side*side)
		for i := range a {
			a[i], b[i] = math.Exp(-float64(i%97)/50), float64(i*7919%1009)
		}
		for i := range side {
			for k := range side {
				f, row, out := a[i*side+k], b[k*side:(k+1)*side], c[i*side:(i+1)*side]
				for j, v := range row {
					out[j] += f * v
				}
			}
		}
		slices.Sort(c)
		rows := make([]float64, many)
		sum := 0.0
		for i := range rows {
			rows[i] = float64(i)
		}
		for _, v := range rows {
			sum += v
		}
		runtime.KeepAlive(sum + c[0])
	})
}

package environment

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/system/processes"
)

// referenceYardstick is the processor time of the yardstick on the machine of the reference run, in seconds.
const referenceYardstick = 0.005

// repetitions is how often the yardstick is measured: about a tenth of a second in all.
const repetitions = 15

// Slowness returns how many times as long as on the machine of the reference run this machine is expected to take: the
// ratio of the times of a yardstick.
func Slowness() float64 { return Measured().Yardstick.Seconds / referenceYardstick }

// Measured is Current with the yardstick. The yardstick is measured once and kept in the user's cache directory, so
// that predictions are the same from call to call. Where nothing can be kept it is measured each time.
func Measured() result.Environment {
	e := Current()
	type kept struct {
		CPU       string
		Cores     int
		Yardstick result.Yardstick
	}
	var file string
	if dir, err := os.UserCacheDir(); err == nil {
		file = filepath.Join(dir, "bench", "yardstick.json")
		var known kept
		if text, err := os.ReadFile(file); err == nil && strictjson.Unmarshal(text, &known) == nil &&
			known.Yardstick.Known() && known.CPU == e.CPU && known.Cores == e.Cores {
			e.Yardstick = known.Yardstick
			return e
		}
	}
	var seconds []float64
	for range repetitions {
		seconds = append(seconds, yardstick())
	}
	slices.Sort(seconds)
	e.Yardstick = result.Yardstick{Seconds: seconds[repetitions/2], Low: seconds[repetitions/4],
		High: seconds[repetitions-1-repetitions/4]}
	if file != "" && os.MkdirAll(filepath.Dir(file), 0o755) == nil {
		_ = files.Write(file, func(w io.Writer) error { // else it is measured again
			return json.NewEncoder(w).Encode(kept{e.CPU, e.Cores, e.Yardstick})
		})
	}
	return e
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

package schedule

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// A load is what other programs do to a machine: how much longer than their processor time cells take.
type load struct {
	draw  *rand.Rand
	kind  string
	until []float64 // seconds since the start
	slow  []float64 // up to then
}

// loads are kinds of load, with the least share of runs in which the time left is to be right: none, one that stays,
// one that changes after one to five minutes, and the same after a minute without load.
var loads = map[string]float64{"none": 1, "constant": 0.99, "changing": 0.93, "calm at first": 0.85}

// at returns the load at a time, and until when it stays.
func (l *load) at(t float64) (slow, until float64) {
	for len(l.until) == 0 || l.until[len(l.until)-1] <= t {
		end, slow := 0.0, math.Pow(4, l.draw.Float64())
		if n := len(l.until); n > 0 {
			end = l.until[n-1]
		}
		switch {
		case l.kind == "none":
			end, slow = math.Inf(1), 1
		case l.kind == "constant":
			end = math.Inf(1)
		case l.kind == "calm at first" && end == 0:
			end, slow = 60, 1
		default:
			end += 60 + 240*l.draw.Float64()
		}
		l.until, l.slow = append(l.until, end), append(l.slow, slow)
	}
	i := slices.IndexFunc(l.until, func(end float64) bool { return t < end })
	return l.slow[i], l.until[i]
}

// wall is how long a cell takes that starts at a time and needs some seconds on a machine without load.
func (l *load) wall(start, needs float64) float64 {
	t := start
	for {
		slow, until := l.at(t)
		if end := t + needs*slow; end <= until {
			return end - start
		}
		needs -= (until - t) / slow
		t = until
	}
}

// referenceSeconds are the times of the file of costs, by method and set.
func referenceSeconds(t *testing.T) map[string]map[string]float64 {
	out := map[string]map[string]float64{}
	for _, row := range must.Get(csv.NewReader(strings.NewReader(reference.Costs)).ReadAll())(t)[1:] {
		if row[2] == "binary" {
			if out[row[0]] == nil {
				out[row[0]] = map[string]float64{}
			}
			out[row[0]][row[1]] = must.Get(strconv.ParseFloat(row[8], 64))(t)
		}
	}
	return out
}

// shares are what the processor time of methods is, as a multiple of their time on a machine without load: of the
// program's own methods, and of plugins of which some wait and some compute on two cores.
var shares = map[string][]float64{"own methods": {1}, "plugins": {0.05, 1, 1.8}}

// newBusyRun draws some methods, sets, a number of splits and a number of jobs, and a machine of another speed than
// that of the reference run. The logarithm of each cell's time has a standard deviation of 0.15.
func newBusyRun(seed uint64, kind, whose string, times map[string]map[string]float64) (v *virtualRun, jobs int) {
	draw := rand.New(rand.NewPCG(seed, 61))
	v = &virtualRun{forecast: plan.NewForecast(nil), now: time.Unix(0, 0), takes: map[*plan.Cell]time.Duration{},
		ends: map[*plan.Cell]time.Duration{}, left: map[*plan.Cell]bool{},
		load: &load{draw: draw, kind: kind}, needs: map[*plan.Cell]float64{}, uses: map[*plan.Cell]float64{}}
	some := func(names []string, least, most int) []string {
		draw.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		return names[:least+draw.IntN(most-least+1)]
	}
	methods := some(slices.Sorted(maps.Keys(times)), 1, 8)
	sets := some(slices.Sorted(maps.Keys(times["LGBM"])), 2, len(times["LGBM"]))
	splits, machine := 5+draw.IntN(16), math.Exp(0.5*draw.NormFloat64())
	jobs = 1 + draw.IntN(4)
	var cells []*plan.Cell
	for _, method := range methods {
		own, share := machine*math.Exp(0.3*draw.NormFloat64()), shares[whose][draw.IntN(len(shares[whose]))]
		for _, set := range sets {
			seconds, known := times[method][set]
			for split := range splits {
				if !known {
					break
				}
				c := &plan.Cell{Cell: runner.Cell{Method: method, Dataset: set, Split: split + 1}, Early: split == 0,
					Foreign: whose == "plugins"}
				c.Spec = runner.CellSpec{Cell: c.Cell, Key: fmt.Sprint(c.Cell), Cost: 1e9 * seconds,
					Shape: registry.Shape{N: 100, D: 10}}
				c.Work = seconds
				v.needs[c], v.left[c] = seconds*own*math.Exp(0.15*draw.NormFloat64()), true
				v.uses[c] = v.needs[c] * share
				cells = append(cells, c)
			}
		}
	}
	v.s = newState(Options{Jobs: jobs, Forecast: v.forecast}, cells, v.now)
	return v, jobs
}

// leftAfterOneSplit runs all cells, and returns what the time left was said to be after the first split of each set, as
// a multiple of what it was.
func (v *virtualRun) leftAfterOneSplit(jobs int) float64 {
	early, said, at := 0, 0.0, v.now
	for c := range v.left {
		if c.Early {
			early++
		}
	}
	v.step(nil)
	for c := v.next(); c != nil; c = v.next() {
		v.step(ended{cell: c, run: result.Run{Status: result.OK, SearchSeconds: v.takes[c].Seconds(),
			CPUSeconds: new(v.uses[c])}})
		if c.Early {
			if early--; early == 0 {
				said, at = v.remaining(jobs), v.now
			}
		}
	}
	return said / v.now.Sub(at).Seconds()
}

// TestTimeLeftBesideOtherPrograms: with the times of the file of costs, on a machine that other programs slow down up
// to four times, the time left is right within a factor of 2 after the first split of each set. Where the first minute
// is calm and the next ones are not, nothing can know that, and one in ten is too short.
func TestTimeLeftBesideOtherPrograms(t *testing.T) {
	testenv.NotUnderRace(t)
	runs := 2 // of up to 2,800 cells
	if testenv.Thorough(t) {
		runs = 150
	}
	times := referenceSeconds(t)
	for whose := range shares {
		for kind, want := range loads {
			short, long, logs := 0, 0, 0.0
			for seed := range uint64(runs) {
				v, jobs := newBusyRun(seed, kind, whose, times)
				factor := v.leftAfterOneSplit(jobs)
				if logs += math.Log(factor); factor < 0.5 {
					short++
				} else if factor > 2 {
					long++
				}
			}
			right := float64(runs-short-long) / float64(runs)
			t.Logf("%s, load %s: right in %.1f %% of %d runs, too short in %d, too long in %d, by the factor %.2f on "+
				"average", whose, kind, 100*right, runs, short, long, math.Exp(logs/float64(runs)))
			if right < want {
				t.Errorf("too few: want %.0f %%", 100*want)
			}
		}
	}
}

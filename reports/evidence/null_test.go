package evidence_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// nullTable is results of methods that are all alike: on each set the differences of two methods have mean zero, and those of two
// splits have the correlation that the corrected t-test takes, test/(train+test). A value is the share of the set that is not seen
// twice, u, and what a split adds; u has test/train times the variance.
func nullTable(stream *rng.RandomState, methods, sets, splits int) *frame.Table {
	const train, test, deviation = 700, 300, 2.0
	accuracy, err := metric.Lookup("accuracy")
	if err != nil {
		panic(err)
	}
	t := &frame.Table{Metric: accuracy}
	for m := range methods {
		t.Methods = append(t.Methods, fmt.Sprintf("M%02d", m))
	}
	for k := range splits {
		t.Splits = append(t.Splits, k+1)
	}
	for s := range sets {
		set := frame.Set{Dataset: frame.Dataset{Name: fmt.Sprintf("s%02d", s), Group: frame.GroupMain, TrainRows: train, TestRows: test}, Counted: true}
		for _, m := range t.Methods {
			shared := deviation * math.Sqrt(float64(test)/train) * stream.Norm()
			e := frame.Entry{Method: m}
			for k := range splits {
				e.Runs = append(e.Runs, frame.Run{Split: k + 1, Value: big.NewRat(int64(1000*(80+shared+deviation*stream.Norm())), 1000)})
			}
			set.Entries = append(set.Entries, e)
		}
		t.Sets = append(t.Sets, set)
	}
	return t
}

// leads is the method with the best average rank, which is what the data choose.
func leads(t *frame.Table) string {
	var values [][]*big.Rat
	for _, s := range t.Sets {
		var row []*big.Rat
		for _, e := range s.Entries {
			sum := new(big.Rat)
			for _, r := range e.Runs {
				sum.Add(sum, r.Value)
			}
			row = append(row, sum)
		}
		values = append(values, row)
	}
	return t.Methods[stats.Order(stats.AverageRanks(values))[0]]
}

// claims counts pages with any verdict that a difference exists, and those where the leader is called better than another method.
func claims(t testing.TB, seed uint32, tables, methods, sets, splits int, named bool) (pages, leaders int) {
	stream := rng.New(seed)
	for range tables {
		table := nullTable(stream, methods, sets, splits)
		o := evidence.Options{Level: 0.05, Region: evidence.Region{Width: big.NewRat(1, 100)}}
		if named {
			o.Method = "M00"
		}
		ev := must.Get(evidence.Of(table, o))(t)
		leader := slices.Index(table.Methods, leads(table))
		claim, leads := false, false
		for _, p := range ev.Pairs {
			for _, v := range []evidence.Verdict{evidence.Better, evidence.Worse, evidence.Mixed} {
				claim = claim || p.Verdict == v || len(p.Named(v)) > 0
			}
			leads = leads || p.A == leader && p.Verdict == evidence.Better || p.B == leader && p.Verdict == evidence.Worse
		}
		if claim {
			pages++
		}
		if leads {
			leaders++
		}
	}
	return pages, leaders
}

// beyond reports whether a rate of events is above 5 % by more than three standard errors.
func beyond(events, of int) bool {
	return float64(events)/float64(of) > 0.05+3*math.Sqrt(0.05*0.95/float64(of))
}

// Where no method differs from another one, at most 5 % of the pages hold any verdict that says so, for a method that was named
// before and for the one that leads. NullPages below counts many more of them.
func TestPagesWithoutDifferences(t *testing.T) {
	sizes := [][3]int{{6, 6, 100}, {2, 3, 200}, {2, 15, 200}, {6, 15, 60}, {28, 3, 20}}
	if testenv.Race {
		sizes = sizes[:1] // other sizes share no more
	}
	for _, size := range sizes {
		for _, named := range []bool{true, false} {
			pages, _ := claims(t, 7, size[2], size[0], size[1], 6, named)
			if beyond(pages, size[2]) {
				t.Errorf("%d methods, %d sets, named %v: %d of %d pages claim a difference", size[0], size[1], named, pages, size[2])
			}
		}
	}
}

// go test -run '^$' -bench NullPages -benchtime 1x ./reports/evidence
func BenchmarkNullPages(b *testing.B) {
	for _, methods := range []int{2, 6, 28} {
		for _, sets := range []int{3, 6, 15, 50} {
			for _, named := range []bool{true, false} {
				b.Run(fmt.Sprintf("methods=%d/sets=%d/named=%v", methods, sets, named), func(b *testing.B) {
					tables := 2000
					if methods == 28 && !named {
						tables = 300
					}
					for b.Loop() {
						pages, leaders := claims(b, 11, tables, methods, sets, 6, named)
						if beyond(pages, tables) {
							b.Errorf("%d of %d pages claim a difference", pages, tables)
						}
						b.ReportMetric(100*float64(pages)/float64(tables), "%false-pages")
						b.ReportMetric(100*float64(leaders)/float64(tables), "%false-leaders")
					}
				})
			}
		}
	}
}

// countTable is results of two methods that are equally good: on each set as many rows speak for the one as for the other, on average, and
// a split counts those of the rows that it tests. Counts of few rows are often equal.
func countTable(stream *rng.RandomState, sets, splits int) *frame.Table {
	t := nullTable(stream, 2, 0, splits)
	for s := range sets {
		rows := 150 + int(650*stream.Float64())
		test, share := rows*3/10, 0.005+0.055*stream.Float64()
		gains := make([]int64, rows)
		for i := range gains {
			switch u := stream.Float64(); {
			case u < share:
				gains[i] = 1
			case u < 2*share:
				gains[i] = -1
			}
		}
		set := frame.Set{Dataset: frame.Dataset{Name: fmt.Sprintf("s%02d", s), Group: frame.GroupMain, TrainRows: rows - test, TestRows: test}, Counted: true,
			Entries: []frame.Entry{{Method: "M00"}, {Method: "M01"}}}
		for k := range splits {
			gain := int64(0)
			for _, i := range stream.Permutation(rows)[:test] {
				gain += gains[i]
			}
			set.Entries[0].Runs = append(set.Entries[0].Runs, frame.Run{Split: k + 1, Value: big.NewRat(50*int64(test)+100*gain, int64(test))})
			set.Entries[1].Runs = append(set.Entries[1].Runs, frame.Run{Split: k + 1, Value: big.NewRat(50, 1)})
		}
		t.Sets = append(t.Sets, set)
	}
	return t
}

// Results are counts. With two or three splits their differences are often equal by chance, which a t-test takes for certainty.
func TestFewSplitsOfCounts(t *testing.T) {
	if testenv.Race {
		t.Skip("the test above shares as much")
	}
	const pages = 200
	o := evidence.Options{Level: 0.05, Region: evidence.Region{Width: big.NewRat(1, 100)}, Method: "M00"}
	for splits := 2; splits <= 6; splits++ {
		stream := rng.New(11)
		claimed := 0
		for range pages {
			ev := must.Get(evidence.Of(countTable(stream, 15, splits), o))(t)
			p := ev.Pairs[0]
			if p.Verdict.Found() || len(p.Named(evidence.Better))+len(p.Named(evidence.Worse)) > 0 {
				claimed++
			}
		}
		if beyond(claimed, pages) {
			t.Errorf("%d splits: %d of %d pages of equal methods claim a difference", splits, claimed, pages)
		}
	}
}

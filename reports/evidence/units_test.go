package evidence_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// errors are the errors of two methods on 13 sets, of which some have targets in thousands. The second method has
// errors that are larger by a share which differs from set to set.
func errors(t testing.TB, measure string, thousands int) *frame.Table {
	table := frame.Table{Metric: must.Get(metric.Lookup(measure))(t), Methods: []string{"A", "B"}, Splits: []int{1, 2}}
	stream := rng.New(5)
	var names []string
	for s := range 13 {
		set := frame.Set{Dataset: frame.Dataset{Name: fmt.Sprintf("s%02d", s), Group: frame.GroupMain, TrainRows: 700,
			TestRows: 300}, Splits: table.Splits}
		unit, larger := int64(1), int64(1000*(1.02+0.1*stream.Norm()))
		if s < thousands {
			unit = 1000
		}
		for m, share := range []int64{1000, larger} {
			value := big.NewRat(share*unit, 1)
			set.Entries = append(set.Entries, entry(table.Methods[m], []*big.Rat{value, value}))
		}
		table.Sets, names = append(table.Sets, set), append(names, set.Name)
	}
	table = table.Part(table.Methods, names)
	return &table
}

// The unit of a target decides nothing over data sets.
func TestUnits(t *testing.T) {
	for _, measure := range []string{"rmse", "mae", "mse"} {
		o := evidence.Options{Method: "A", Level: 0.05,
			Region: evidence.Region{Width: big.NewRat(1, 10), Relative: true}}
		one := must.Get(evidence.Compare(errors(t, measure, 0), o))(t).Pairs[0]
		other := must.Get(evidence.Compare(errors(t, measure, 8), o))(t).Pairs[0]
		for _, p := range []evidence.Pair{one, other} {
			must.Be(t, fmt.Sprint(p.Signed.P, p.Equivalence, p.Verdict, p.Gains),
				fmt.Sprint(one.Signed.P, one.Equivalence, one.Verdict, one.Gains), measure)
		}
	}
}

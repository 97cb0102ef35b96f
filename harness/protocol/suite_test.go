package protocol

import (
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestSuite: the protocols suite and suite-small are table2 on the sets that the catalogue says, smallest first.
func TestSuite(t *testing.T) {
	table2 := must.Get(Load("table2"))(t)
	byRows := func(most int) (names []string) {
		sets := slices.DeleteFunc(catalogue.Builtin().All(), func(e *catalogue.Entry) bool {
			return !slices.Contains(e.Protocols, "suite") || e.Rows >= most
		})
		slices.SortStableFunc(sets, func(a, b *catalogue.Entry) int { return a.Rows - b.Rows })
		for _, e := range sets {
			names = append(names, e.Name)
		}
		return names
	}
	for name, most := range map[string]int{"suite": 1 << 30, "suite-small": 1000} {
		p := must.Get(Load(name))(t)
		must.Be(t, []string{p.Name, p.Shown(), p.Hash(), p.Text}, []string{"table2", name, table2.Hash(), table2.Text})
		must.Be(t, p.Datasets, byRows(most))
		must.Be(t, len(p.Apart), 0)
		must.Be(t, len(p.Datasets)+len(p.Others()), 53)
	}
	must.Be(t, []int{len(table2.Datasets), len(table2.Others())}, []int{16, 37})
	_, err := Parse("mine", []byte("like = \"table2\"\ndatasets = [\"wine\"]\n"))
	must.Say(t, err, "is for protocols of the program alone")
}

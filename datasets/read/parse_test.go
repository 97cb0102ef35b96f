package read

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

// TestFormatsAgree writes one random sparse set in every format and wants one
// matrix.
func TestFormatsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(2, 8).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
		value := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-1e300, 1e300))
		x := rapid.SliceOfN(value, n*d, n*d).Draw(t, "x")
		x[n*d-1] = 1 // so that every format sees d columns
		var csvText, blank, arff, sparse, libsvm strings.Builder
		for j := range d {
			fmt.Fprintf(&arff, "@attribute x%d numeric\n", j)
		}
		arff.WriteString("@attribute y {-1,1}\n@data\n")
		sparse.WriteString(arff.String())
		for i := range n {
			label := 2*(i%2) - 1
			fmt.Fprint(&libsvm, label)
			fmt.Fprint(&sparse, "{")
			for j, v := range x[i*d : i*d+d] {
				fmt.Fprintf(&csvText, "%v,", v)
				fmt.Fprintf(&blank, "  %v\t", v)
				fmt.Fprintf(&arff, "%v , ", v)
				if v != 0 {
					fmt.Fprintf(&libsvm, " %d:%v", j+1, v)
					fmt.Fprintf(&sparse, "%d %v,", j, v)
				}
			}
			fmt.Fprintf(&csvText, "%d\r\n", label)
			fmt.Fprintf(&blank, "%d  \n", label)
			fmt.Fprintf(&arff, "%d\n", label)
			fmt.Fprintf(&sparse, "%d %d}\n", d, label)
			fmt.Fprintln(&libsvm)
		}
		header, last := new(bool), &catalogue.Column{Index: -1}
		for name, c := range map[string]struct {
			text    string
			reading catalogue.Reading
		}{
			"csv":    {csvText.String(), catalogue.Reading{Format: "csv", Separator: ",", Label: last}},
			"blank":  {blank.String(), catalogue.Reading{Format: "blank", Label: last}},
			"arff":   {arff.String(), catalogue.Reading{Format: "arff", Label: last}},
			"sparse": {sparse.String(), catalogue.Reading{Format: "arff", Label: last}},
			"libsvm": {libsvm.String(), catalogue.Reading{Format: "libsvm"}},
		} {
			c.reading.Header = header
			e := &catalogue.Entry{Name: name, Task: registry.Binary, Reading: c.reading}
			s, err := reader{e, &Budget{Limit: 1 << 30}}.read(t.Context(),
				[]content{{name: name, data: []byte(c.text)}})
			must.Do(t, err)
			if !slices.Equal(s.X.RawMatrix().Data, x) || s.Y[0] != -1 || s.Y[1] != 1 {
				t.Fatalf("%s: read %v %v, wrote %v", name, s.X.RawMatrix().Data, s.Y, x)
			}
		}
	})
}

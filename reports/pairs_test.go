package reports_test

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// By hand from the counted sets of sample.Small: tie 80, 80, 76.7 and clear 81.25, 100, 68.75 (of A_1, B and C).
func TestPairsByHand(t *testing.T) {
	for _, name := range []string{"accuracy", "error"} {
		d := sample.Build(t, named("pairs"), sample.Small(), "--metric", name)
		must.Be(t, text(d.Blocks[0].(doc.Table)), "A_1  0/1/1 2/0/0; B&<b> 1/1/0  2/0/0; C|% 0/0/2 0/0/2 ", "by", name)
		if f := d.Blocks[1].(doc.Figure); f.Title != "A_1 - B&<b>" || f.About != "0 won, 1 tied, 1 lost" {
			t.Errorf("figure %q, %q", f.Title, f.About)
		}
	}
}

// More pairs than fit a page are counted all and drawn in part, which is said.
func TestMany(t *testing.T) {
	d := sample.Build(t, named("pairs"), sample.Sixteen())
	figures := 0
	for _, b := range d.Blocks {
		if _, ok := b.(doc.Figure); ok {
			figures++
		}
	}
	if records := sample.Records(t, d, "pairs"); figures != 36 || len(records) != 16*15 {
		t.Errorf("%d figures, %d records", figures, len(records))
	}
	must.Hold(t, strings.Join(d.Notes, "\n"), "84 pairs not drawn; name fewer methods with --methods.")
}

package wording

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

func TestSuggest(t *testing.T) {
	methods := []string{"CART", "GBRFF", "GBRFF1", "GBRFF2", "GFC", "LGBM", "PBRFF", "RF", "XGB"}
	for typed, want := range map[string][]string{
		"GBRFF3": {"GBRFF", "GBRFF1", "GBRFF2"}, "cart": {"CART"}, "catr": {"CART"}, "lightgbm": nil, "LGMB": {"LGBM"},
		"xgboost": {"XGB"}, "": nil,
	} {
		must.Be(t, Suggest(typed, methods), want, typed)
	}
	sweep := []string{"RF k=10", "RF k=1", "RF k=5", "RF k=20", "RF k=3", "RF k=4"}
	must.Be(t, Suggest("rf k", sweep), []string{"RF k=1", "RF k=5", "RF k=3", "RF k=4", "RF k=10"})
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"abc", "acb", 2}} {
		must.Be(t, editDistance(c.a, c.b), c.want, c.a, c.b)
		must.Be(t, editDistance(c.b, c.a), c.want, c.a, c.b)
	}
}

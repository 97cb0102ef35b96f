package catalogue

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestPublishedSets compares drawn sets with those that NumPy and scikit-learn draw with the same seeds
// (testdata/published.py).
func TestPublishedSets(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/published.json"))(t)
	var sets map[string]struct {
		X        [][]float64 `json:"x"`
		Y        []int       `json:"y"`
		Sum      float64     `json:"sum"`
		Positive int         `json:"positive"`
	}
	must.Do(t, json.Unmarshal(raw, &sets))
	if published := len(sized) - 3; len(sets) < published { // the three large sets are ours
		t.Errorf("%d sets in the file, %d generators", len(sets), published)
	}
	for name, want := range sets {
		make := must.Get(Named(name))(t)
		lines := strings.Split(strings.TrimSpace(string(make())), "\n")[1:]
		sum, positive := 0.0, 0
		for i, line := range lines {
			fields := strings.Split(line, ",")
			label := fields[len(fields)-1]
			if label == "1" {
				positive++
			}
			for j, text := range fields[:len(fields)-1] {
				v := must.Get(strconv.ParseFloat(text, 64))(t)
				sum += v
				if i < len(want.X) && math.Abs(v-want.X[i][j]) > 1.1e-6 {
					t.Fatalf("%s, row %d, column %d: %g, scikit-learn has %g", name, i, j, v, want.X[i][j])
				}
			}
			if i < len(want.Y) && label != strconv.Itoa(want.Y[i]) {
				t.Fatalf("%s, row %d: label %s, scikit-learn has %d", name, i, label, want.Y[i])
			}
		}
		must.Near(t, sum, want.Sum, 1e-6*float64(len(lines)*20), name)
		must.Be(t, positive, want.Positive, name)
	}
}

package metric

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

// binary counts labels of -1 or 0 and +1; scores make the pairs of the ROC curve.
func binary(y, labels, scores []float64) result.Score {
	var tn, fp, fn, tp int
	for i, l := range labels {
		switch {
		case l > 0 && y[i] > 0:
			tp++
		case l > 0:
			fp++
		case y[i] > 0:
			fn++
		default:
			tn++
		}
	}
	correct, pairs := tn+tp, AUC2(y, scores)
	return result.Score{N: len(y), Correct: &correct, TN: &tn, FP: &fp, FN: &fn, TP: &tp, AUC2: &pairs}
}

func errorsOf(rmse, mae, r2 float64) result.Score {
	return result.Score{N: 4, RMSE: &rmse, MAE: &mae, R2: &r2}
}

func value(t must.T, name string, s result.Score) *big.Rat {
	m := must.Get(Lookup(name))(t)
	return m.Of(s)
}

// TestDocumentedValues compares with the examples in scikit-learn's documentation.
func TestDocumentedValues(t *testing.T) {
	documented := errorsOf(math.Sqrt(0.375), 0.5, 0.9486081370449679) // y = 3, -0.5, 2, 7; predicted 2.5, 0, 2, 8
	for _, c := range []struct {
		name       string
		s          result.Score
		want, digs float64
	}{
		{"accuracy", binary([]float64{0, 1, 0, 1}, []float64{0, 1, 1, 0}, []float64{0, 1, 1, 0}), 0.5, 1e-15},
		{"error", binary([]float64{0, 1, 0, 1}, []float64{0, 1, 1, 1}, []float64{0, 1, 1, 1}), 0.25, 1e-15},
		{"balanced_accuracy", binary([]float64{0, 1, 0, 0, 1, 0}, []float64{0, 1, 0, 0, 0, 1}, make([]float64, 6)),
			0.625, 1e-15},
		{"f1", binary([]float64{0, 1, 0, 1}, []float64{0, 1, 0, 0}, make([]float64, 4)), 0.66, 0.01},
		{"f1", binary(make([]float64, 6), make([]float64, 6), make([]float64, 6)), 0, 0},
		{"mcc", binary([]float64{1, 1, 1, -1}, []float64{1, -1, 1, 1}, make([]float64, 4)), -0.33, 0.005},
		{"mcc", binary([]float64{1, 1, -1, -1}, []float64{1, 1, 1, 1}, make([]float64, 4)), 0, 0},
		{"auc", binary([]float64{0, 0, 1, 1}, make([]float64, 4), []float64{0.1, 0.4, 0.35, 0.8}), 0.75, 1e-15},
		{"mse", documented, 0.375, 1e-15},
		{"rmse", documented, 0.612, 0.0005},
		{"mae", documented, 0.5, 0},
		{"r2", documented, 0.948, 0.001},
	} {
		got := value(t, c.name, c.s)
		if got == nil {
			t.Errorf("%s does not exist, want %v", c.name, c.want)
		} else if v, _ := got.Float64(); math.Abs(v-c.want) > c.digs {
			t.Errorf("%s is %v, want %v", c.name, v, c.want)
		}
	}
}

// TestUndefined: what the comments say of scores that lack a class, rows or errors.
func TestUndefined(t *testing.T) {
	ones, zeros := []float64{1, 1, 1}, []float64{-1, -1, -1}
	onlyPositive, onlyNegative := binary(ones, []float64{1, -1, 1}, zeros), binary(zeros, zeros, zeros)
	correct := 2
	three := result.Score{N: 3, Correct: &correct} // of three classes
	inf := math.Inf(1)
	unbounded := result.Score{N: 3, RMSE: &inf, MAE: &inf}
	none := 0
	empty := result.Score{Correct: &none}
	for _, c := range []struct {
		name, want string
		s          result.Score
	}{
		{"balanced_accuracy", "", onlyPositive}, {"balanced_accuracy", "", onlyNegative},
		{"auc", "", onlyPositive}, {"auc", "", onlyNegative},
		{"f1", "0", onlyNegative}, {"f1", "4/5", onlyPositive},
		{"mcc", "0", onlyPositive}, {"mcc", "0", onlyNegative},
		{"accuracy", "2/3", three}, {"error", "1/3", three}, {"f1", "", three}, {"mcc", "", three}, {"auc", "", three},
		{"balanced_accuracy", "", three},
		{"rmse", "", three}, {"mse", "", three}, {"mae", "", three}, {"r2", "", three},
		{"accuracy", "", errorsOf(1, 1, 0)}, {"error", "", errorsOf(1, 1, 0)}, {"f1", "", errorsOf(1, 1, 0)},
		{"rmse", "", unbounded}, {"mse", "", unbounded}, {"mae", "", unbounded}, {"r2", "", unbounded},
		{"accuracy", "", empty}, {"error", "", empty},
	} {
		got := ""
		if v := value(t, c.name, c.s); v != nil {
			got = v.RatString()
		}
		must.Be(t, got, c.want, c.name, c.s)
	}
}

// TestConfusionMetrics compares with other definitions of the same measures, and checks how they
// relate to one another.
func TestConfusionMetrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		y, labels := make([]float64, n), make([]float64, n)
		for i := range y {
			y[i], labels[i] = sign(rapid.Bool().Draw(t, "y")), sign(rapid.Bool().Draw(t, "label"))
		}
		s := binary(y, labels, labels)
		sum := value(t, "accuracy", s)
		if sum.Add(sum, value(t, "error", s)).Cmp(big.NewRat(1, 1)) != 0 {
			t.Fatalf("accuracy and error add up to %v", sum)
		}
		closeTo(t, "mcc", value(t, "mcc", s), correlation(y, labels))
		precision, recall := share(labels, y), share(y, labels)
		harmonic := 0.0
		if precision+recall > 0 { // NaN if there is none of one
			harmonic = 2 * precision * recall / (precision + recall)
		}
		closeTo(t, "f1", value(t, "f1", s), harmonic)
		balanced, swapped := (recall+share(negated(y), negated(labels)))/2, binary(negated(y), negated(labels),
			negated(labels))
		if b := value(t, "balanced_accuracy", s); b != nil {
			closeTo(t, "balanced_accuracy", b, balanced)
			// The ROC curve of labels has one corner: the area is the mean of the recalls.
			if a := value(t, "auc", s); a.Cmp(b) != 0 {
				t.Fatalf("auc of labels is %v, balanced accuracy %v", a, b)
			}
		} else if !math.IsNaN(balanced) {
			t.Fatalf("no balanced accuracy, want %v", balanced)
		}
		// Which class is called +1 matters to f1 alone.
		for _, name := range []string{"accuracy", "balanced_accuracy", "mcc", "auc", "logloss", "brier", "ece",
			"error"} {
			a, b := value(t, name, s), value(t, name, swapped)
			if (a == nil) != (b == nil) || a != nil && a.Cmp(b) != 0 {
				t.Fatalf("%s is %v, with the classes swapped %v", name, a, b)
			}
		}
		if m := value(t, "mcc", binary(y, negated(labels), labels)); m.Neg(m).Cmp(value(t, "mcc", s)) != 0 {
			t.Fatalf("mcc of the other labels is not the negative")
		}
	})
}

func sign(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}

func negated(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = -v[i]
	}
	return out
}

// share is the share of +1 in b among the rows with +1 in a, NaN without such rows.
func share(a, b []float64) float64 {
	in, of := 0.0, 0.0
	for i := range a {
		if a[i] > 0 {
			of++
			if b[i] > 0 {
				in++
			}
		}
	}
	return in / of
}

// correlation is Pearson's, 0 if one of the two does not vary.
func correlation(a, b []float64) float64 {
	n := float64(len(a))
	var ma, mb, ab, aa, bb float64
	for i := range a {
		ma += a[i] / n
		mb += b[i] / n
	}
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	if aa < 1e-9 || bb < 1e-9 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

func closeTo(t *rapid.T, what string, got *big.Rat, want float64) {
	if v, _ := got.Float64(); !(math.Abs(v-want) <= 1e-12) {
		t.Fatalf("%s is %v, want %v", what, v, want)
	}
}

// TestMCCIsExact: where the root is whole the value is a rational, and it is the nearest float64
// for counts whose products no int64 holds.
func TestMCCIsExact(t *testing.T) {
	of := func(tp, tn, fp, fn int) *big.Rat {
		return mcc(confusion{tn, fp, fn, tp})
	}
	must.Be(t, of(2, 2, 1, 1).RatString(), "1/3")
	must.Be(t, of(7, 0, 0, 3).Sign(), 0, "mcc without a negative")
	// tp tn - fp fn = (a^2 - 4) 10^12 and the root's argument (a+2)^4 10^24, with a = 3: (9-4)/25.
	const million = 1_000_000
	must.Be(t, of(3*million, 3*million, 2*million, 2*million).RatString(), "1/5")
	got, exact := of(3*million, million, 0, million).Float64() // 3/sqrt(3*4*1*2), between the halves to its neighbours
	low, high := new(big.Rat).SetFloat64(math.Nextafter(got, 0)), new(big.Rat).SetFloat64(math.Nextafter(got, 1))
	for _, v := range []*big.Rat{low, high} {
		v.Add(v, new(big.Rat).SetFloat64(got))
		v.Mul(v, half)
		v.Mul(v, v)
	}
	if want := big.NewRat(9, 24); !exact || low.Cmp(want) >= 0 || high.Cmp(want) <= 0 {
		t.Errorf("mcc is %v, not the float64 nearest to sqrt(%v)", got, want)
	}
}

func TestLookup(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		if got, err := Lookup(strings.ToUpper(m.Name)); err != nil || got.Name != m.Name || seen[m.Name] {
			t.Errorf("Lookup(%s) = %s, %v", strings.ToUpper(m.Name), got.Name, err)
		}
		if seen[m.Name] = true; m.Title == "" || m.Tasks == 0 || m.Of == nil {
			t.Errorf("the metric %q lacks its Title, its Tasks or its Of", m.Name)
		}
	}
	for _, name := range []string{"accuracy", "balanced_accuracy", "f1", "mcc", "auc", "error", "rmse", "mse", "mae",
		"r2"} {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
	for name, want := range map[string]string{
		"acuracy": `no metric is named "acuracy"; did you mean accuracy?`,
		"no-such": `no metric is named "no-such"; known: ` + strings.Join(Names(), ", "),
	} {
		if _, err := Lookup(name); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestForSelection(t *testing.T) {
	for _, c := range []struct {
		name string
		task registry.Task
		want string
	}{
		{"", registry.Binary, "accuracy"}, {"", registry.Multiclass, "accuracy"}, {"", registry.Regression, "mse"},
		{"MCC", registry.Binary, "mcc"}, {"mae", registry.Regression, "mae"}, {"error", registry.Multiclass, "error"},
	} {
		must.Be(t, must.Get(ForSelection(c.name, c.task))(t).Name, c.want, c.name)
	}
	for _, c := range []struct {
		name string
		task registry.Task
		want string
	}{
		{"mcc", registry.Multiclass, "the metric mcc is of binary sets, not of multiclass ones"},
		{"Accuracy", registry.Regression, "the metric accuracy is of binary,multiclass sets, not of regression ones"},
		{"brier", registry.Binary, "the metric brier is of methods whose scores stand for probabilities, and grid " +
			"points are chosen by one that all methods have; reports take it as --metric brier"},
		{"msee", registry.Binary, `no metric is named "msee"; did you mean mse?`},
	} {
		if _, err := ForSelection(c.name, c.task); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

package methods_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

func lookup(t testing.TB, name string) registry.Spec {
	t.Helper()
	return must.Get(methods.All().Lookup(name))(t)
}

// TestPublishedGrids compares points of default grids, by their numbers, with the papers' grids in the order of the
// published programs: section 4.1 of the 2020 paper and section 5 of the 2019 one. Number -1 is the defaults, those of
// scikit-learn interfaces for LGBM (LightGBM 4.7.0, get_params) and XGB (XGBoost 3.2.0, save_config). The settings of
// GMKL and KRR-GD are in keys of results from when they had a parameter for groups of features, which was not written.
func TestPublishedGrids(t *testing.T) {
	for _, c := range []struct {
		method string
		size   int
		number int
		want   string
	}{
		{"GFC", 5, 0, `{"features":100,"c":0.01}`},
		{"GFC", 5, 4, `{"features":100,"c":100}`},
		{"PBRFF", 125, 0, `{"landmarks":100,"features":10,"gamma":0.0625,"beta":0.01,"c":0.01,"max_iter":0}`},
		{"PBRFF", 125, 1, `{"landmarks":100,"features":10,"gamma":0.0625,"beta":0.01,"c":0.1,"max_iter":0}`},
		{"PBRFF", 125, 5, `{"landmarks":100,"features":10,"gamma":0.0625,"beta":0.1,"c":0.01,"max_iter":0}`},
		{"PBRFF", 125, 124, `{"landmarks":100,"features":10,"gamma":1,"beta":100,"c":100,"max_iter":0}`},
		{"GBRFF1", 25, 0, `{"rounds":100,"features":10,"gamma":0.0625,"beta":0.01}`},
		{"GBRFF1", 25, 1, `{"rounds":100,"features":10,"gamma":0.0625,"beta":0.1}`},
		{"GBRFF1", 25, 24, `{"rounds":100,"features":10,"gamma":1,"beta":100}`},
		{"GBRFF2", 25, 0, `{"rounds":100,"gamma":0.0625,"lambda":0}`},
		{"GBRFF2", 25, 1, `{"rounds":100,"gamma":0.125,"lambda":0}`},
		{"GBRFF2", 25, 24, `{"rounds":100,"gamma":1,"lambda":0.25}`},
		{"GBRFF", 60, 0, `{"rounds":200,"features":100,"gamma":0,"beta":0,"learning_rate":1}`},
		{"GBRFF", 60, 59, `{"rounds":200,"features":100,"gamma":0,"beta":1024,"learning_rate":0.01}`},
		{"GBRFF-random", 60, 0, `{"rounds":200,"features":100,"gamma":0,"beta":0,"learning_rate":1}`},
		{"GBRFF-random", 60, 59, `{"rounds":200,"features":100,"gamma":0,"beta":1024,"learning_rate":0.01}`},
		{"LGBM", 50, -1, `{"rounds":100,"learning_rate":0.1,"num_leaves":31,"max_depth":-1,"min_child_samples":20,` +
			`"min_child_weight":0.001,"lambda":0}`},
		{"LGBM", 50, 0, `{"rounds":100,"learning_rate":0.1,"num_leaves":2,"max_depth":1,"min_child_samples":20,` +
			`"min_child_weight":0.001,"lambda":0}`},
		{"LGBM", 50, 49, `{"rounds":100,"learning_rate":0.1,"num_leaves":1024,"max_depth":10,"min_child_samples":20,` +
			`"min_child_weight":0.001,"lambda":0.25}`},
		{"XGB", 25, -1, `{"rounds":100,"learning_rate":0.3,"max_depth":6,"min_child_weight":1,"lambda":1}`},
		{"XGB", 25, 0, `{"rounds":100,"learning_rate":1,"max_depth":1,"min_child_weight":1,"lambda":1}`},
		{"XGB", 25, 24, `{"rounds":100,"learning_rate":0.01,"max_depth":5,"min_child_weight":1,"lambda":1}`},
		{"GMKL", 5, 0, `{"c":0.01,"epsilon":0.1}`},
		{"KRR-GD", 6, 0, `{"lambda":0.00001,"max_iter":20}`},
	} {
		spec := lookup(t, c.method)
		points := must.Get(spec.Settings(registry.Shape{Task: registry.Binary, N: 100, D: 4, Classes: 2},
			spec.DefaultGrid(), nil))(t)
		got := spec.Defaults()
		if c.number >= 0 && c.number < len(points) {
			got = points[c.number]
		}
		must.Be(t, len(points), c.size, c.number, c.method, got)
		must.Be(t, string(got), c.want, c.number, c.method, got)
	}
}

// subject fits and scores with the checks that suites of methods share.
func subject(t *testing.T, method string) toydata.Subject {
	s := toydata.Subject{Spec: lookup(t, method), Seed: 3}
	s.Fit = func(d registry.Data, point json.RawMessage) (registry.Model, error) {
		return s.Spec.Fit(t.Context(), registry.Env{Seed: s.Seed}, d, point)
	}
	s.Score = func(m registry.Model, d registry.Data) ([]float64, error) {
		out := make([]float64, len(d.Y)*d.Shape().Outputs())
		return out, m.Score(t.Context(), d.X, out)
	}
	return s
}

// TestSharedWork: settings that no default grid has together give the bits of single fits, in their order and
// backwards.
func TestSharedWork(t *testing.T) {
	drawn := []string{`{}`, `{"lambda":10}`, `{"intercept":false}`, `{"lambda":0.1}`, `{"features":7,"step":3}`,
		`{"sigma":2}`,
		`{"lambda":0.1,"intercept":false}`, `{"features":7,"step":3,"lambda":1}`, `{"neighbour":3}`}
	// with those below 27 solutions of three classes, more than are solved together
	penalties := path(`{"lambda":1e%d,"neighbour":50}`, 4)
	penalties = append(path(`{"lambda":1e-%d,"neighbour":50}`, 6)[1:], penalties...)
	groups := []string{`{"lambda":0.02,"features":20}`, `{"lambda":0.5,"features":20}`, `{"lambda":0.1,"features":20}`}
	logistic := path(`{"landmarks":20,"lambda":1e-%d,"gamma":0.3,"loss":"logistic"}`, 6)
	for _, c := range []struct {
		methods  string
		data     registry.Data
		settings []string
	}{
		{"MFGA RKS EERF LKRF", waves(300, 6), drawn},
		{"MFGA RKS EERF LKRF", given(waves(300, 6), registry.Regression), drawn},
		{"GLK", given(waves(510, 3), registry.Multiclass), penalties},
		{"FALKON", toydata.Easy(registry.Multiclass, 90, 3, 4), logistic},
		{"RFF-SQL-MKL RFF-MKL", waves(50, 6), groups},
		{"RFF-SQL-MKL RFF-MKL", toydata.Easy(registry.Multiclass, 50, 6, 4), groups},
	} {
		for _, name := range strings.Fields(c.methods) {
			t.Run(fmt.Sprint(name, "/", c.data.Task), func(t *testing.T) {
				var points []json.RawMessage
				for _, s := range c.settings {
					points = append(points, json.RawMessage(s))
				}
				alone := map[string][]float64{}
				must.Do(t, subject(t, name).Path(t.Context(), c.data, points, alone))
				slices.Reverse(points)
				must.Do(t, subject(t, name).Path(t.Context(), c.data, points, alone))
			})
		}
	}
}

// TestEqualSettings: settings that mean the same give the same scores. A gamma of 0 is 1/d.
func TestEqualSettings(t *testing.T) {
	data := waves(40, 4)
	for _, c := range [][3]string{
		{"PBRFF", `{"landmarks":5}`, `{"landmarks":5,"gamma":0.25}`},
		{"GBRFF2", `{"rounds":3}`, `{"rounds":3,"gamma":0.25}`},
	} {
		s := subject(t, c[0])
		one, other := must.Get(s.FitAndScore(data, data, []byte(c[1])))(t),
			must.Get(s.FitAndScore(data, data, []byte(c[2])))(t)
		must.Be(t, one, other, c[0], c[1], c[2])
	}
}

// TestRefused: what a method cannot fit is said in one line.
func TestRefused(t *testing.T) {
	one, wide, huge := waves(30, 2), waves(30, 2), waves(30, 2)
	far := given(waves(30, 2), registry.Regression)
	for i := range one.Y {
		one.Y[i] = 1
	}
	wide.X.Set(1, 1, math.NaN())
	huge.X.Set(3, 1, 1e308)
	far.Y[4] = 1e151
	intercept := "all 30 labels are +1: logistic regression with an intercept needs both classes; one without does " +
		"not (intercept false)"
	for _, c := range []struct {
		method string
		data   registry.Data
		raw    string
		says   string
	}{
		{"GFC", one, `{"features":3}`, "GFC: linear SVM: all 30 labels are +1"},
		{"PBRFF", one, `{"landmarks":3}`, "PBRFF: linear SVM: all 30 labels are +1"},
		{"GBRFF1", one, `{"rounds":2}`, "GBRFF1: all 30 training labels are +1"},
		{"GBRFF2", one, `{"rounds":2}`, "GBRFF2: all 30 training labels are +1"},
		{"MFGA", one, ``, "MFGA: " + intercept},
		{"RKS", one, ``, "RKS: " + intercept},
		{"RKS", one, `{"candidates":99}`, "features = 100 of candidates = 99"},
		{"EERF", one, `{"candidates":99}`, "features = 100 of candidates = 99"},
		{"MFGA", one, `{"pool":"all"}`, "merged+linear, merged or cross+linear"},
		{"GBRFF", wide, ``, "NaN"},
		{"GBRFF", one, `{"rounds":0}`, "rounds = 0; it must be an integer of at least 1"},
		{"GBRFF", one, `{"features":0}`, "features = 0"},
		{"GBRFF", one, `{"beta":-1}`, "beta = -1"},
		{"GBRFF", one, `{"learning_rate":0}`, "learning_rate = 0"},
		{"GBRFF", one, `{"learning_rate":-0.1}`, "learning_rate = -0.1"},
		{"GBRFF", one, `{"gamma":-1}`, "gamma = -1"},
		{"GBRFF", one, `{"c":1}`, `unknown field "c"`},
		{"FALKON", far, `{"loss":"logistic"}`, "logistic"},
		{"CART", huge, ``, "1e+308"},
		{"CART", far, ``, "target of row 4 is 1e+151"},
		{"CART", one, `{"criterion":"mse"}`, `criterion "mse" does not fit a binary problem`},
		{"CART", one, `{"criterion":"mae"}`, "mae"},
		{"CART", one, `{"max_depth":0}`, "max_depth = 0; it must be -1 or an integer of at least 1"},
		{"CART", one, `{"depth":3}`, "depth"},
	} {
		_, err := lookup(t, c.method).Fit(t.Context(), registry.Env{}, c.data, []byte(c.raw))
		must.Say(t, err, c.says)
	}
	for _, name := range []string{"MFGA", "RKS"} {
		must.Get(lookup(t, name).Fit(t.Context(), registry.Env{}, one, []byte(`{"intercept":false}`)))(t)
	}
}

// TestEarlyEndsAreReported: a fit that ends before its minimum logs so. One that reaches the minimum has nothing to
// say.
func TestEarlyEndsAreReported(t *testing.T) {
	for _, c := range []struct {
		method string
		scale  float64 // of features
		raw    string
		says   string
	}{
		{"PBRFF", 1, `{"max_iter":2}`, "relative gap"},
		{"BMKR", 1, `{"rounds":2,"c":10,"max_iter":5}`, "ended before their optimum"},
		{"FALKON", 1, `{"landmarks":15,"lambda":1e-7,"gamma":0.3,"max_iter":1,"loss":"logistic"}`,
			`msg="FALKON ended before its minimum" lambda=1e-07`},
		{"FALKON", 1, `{"landmarks":15,"lambda":1e-7,"gamma":0.3,"max_iter":20,"loss":"logistic"}`, ""},
		{"FALKON", 1, `{"landmarks":15,"lambda":1e-5,"gamma":0.3,"max_iter":3}`,
			`msg="FALKON ended before its minimum" lambda=1e-05 "relative residual"=`},
		{"FALKON", 1, `{"landmarks":15,"lambda":1e-5,"gamma":0.3,"max_iter":30}`, ""},
		{"RFRBoost", 1e12, `{"rounds":1,"lambda":1e-12,"features":20}`,
			`msg="a linear model of RFRBoost ended before its minimum" lambda=1e-12`},
		{"RFRBoost", 1, `{"rounds":1,"lambda":1e-12,"features":20}`, ""},
	} {
		train := toydata.Easy(registry.Binary, 150, 4, 7)
		for i := range 20 {
			train.Y[7*i] *= -1
		}
		train.X.Scale(c.scale, train.X)
		var log bytes.Buffer
		env := registry.Env{Seed: 3, Log: slog.New(slog.NewTextHandler(&log, nil))}
		must.Get(lookup(t, c.method).Fit(t.Context(), env, train, []byte(c.raw)))(t)
		if got := log.String(); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s %s with features times %g: the log is %q, want %q", c.method, c.raw, c.scale, got, c.says)
		}
	}
}

package metric

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// A Direction says which values are better.
type Direction int

const (
	Higher Direction = iota // is better
	Lower                   // is better
)

// A Metric is a number that says how good a prediction is.
type Metric struct {
	Name    string // as protocols and flags write it
	Title   string // as a sentence writes it
	Better  Direction
	Percent bool          // tables show it times 100
	Tasks   registry.Task // the tasks whose scores have the metric

	// Unit marks a metric in the unit of the target, which data sets do not share.
	Unit bool

	// Probabilities marks a metric that exists only for methods whose scores stand for probabilities.
	Probabilities bool

	// Of computes the metric. It returns nil where the score lacks the counts for it, or where the metric is
	// not defined for the predicted rows. The caller may change the result.
	Of func(result.Score) *big.Rat

	// pick computes Select faster, or for mse in floating point. It may be nil.
	pick func(folds [][]result.Score) int
}

// Compare returns a negative number if a is worse than b, 0 if they are equal, and a positive one
// if a is better.
func (m Metric) Compare(a, b *big.Rat) int {
	if m.Better == Lower {
		return b.Cmp(a)
	}
	return a.Cmp(b)
}

const classes = registry.Binary | registry.Multiclass

// ofCounts are the metrics that are computed from the counts of a score. TestContract checks what a row must keep.
var ofCounts = []Metric{
	{Name: "accuracy", Title: "accuracy", Percent: true, Tasks: classes, Of: accuracy, pick: mostCorrect},
	{Name: "balanced_accuracy", Title: "balanced accuracy", Percent: true, Tasks: registry.Binary,
		Of: ofConfusion(balancedAccuracy)},
	{Name: "f1", Title: "F1 score", Percent: true, Tasks: registry.Binary, Of: ofConfusion(f1)},
	{Name: "mcc", Title: "Matthews correlation coefficient", Tasks: registry.Binary, Of: ofConfusion(mcc)},
	{Name: "auc", Title: "area under the ROC curve", Percent: true, Tasks: registry.Binary, Of: auc},
	{Name: "error", Title: "error", Better: Lower, Percent: true, Tasks: classes, Of: misclassified, pick: mostCorrect},
}

// stored returns the metrics that scores hold as they are: every real of the table of their fields.
func stored() (out []Metric) {
	for _, f := range result.Fields() {
		if f.Kind != result.Real {
			continue
		}
		m := Metric{Name: f.Name, Title: f.Title, Tasks: f.Tasks, Probabilities: f.TestOnly,
			Of: func(s result.Score) *big.Rat {
				v, there := f.Value(&s).(float64)
				if !there {
					return nil
				}
				return exactly(v)
			}}
		if f.Lower {
			m.Better = Lower
		}
		m.Unit = f.Name == "rmse" || f.Name == "mae"
		out = append(out, m)
	}
	return out
}

// All returns the metrics: those of classes first, and the usual metrics of a task before its other metrics.
func All() []Metric {
	all := append(slices.Concat(ofCounts, stored()),
		Metric{Name: "mse", Title: "mean squared error", Better: Lower, Tasks: registry.Regression, Unit: true,
			Of: mse, pick: leastSquares})
	slices.SortStableFunc(all, func(a, b Metric) int {
		return cmp.Compare(a.Tasks&registry.Regression, b.Tasks&registry.Regression)
	})
	return all
}

// Names returns the metrics' names in the order of All.
func Names() []string {
	var names []string
	for _, m := range All() {
		names = append(names, m.Name)
	}
	return names
}

// Choosing returns the names of the metrics by which grid points may be chosen: see ForSelection.
func Choosing() []string {
	var names []string
	for _, m := range All() {
		if !m.Probabilities {
			names = append(names, m.Name)
		}
	}
	return names
}

// Lookup returns the metric with a name; upper and lower case are equal. The error for an unknown name
// suggests similar names, or lists all names.
func Lookup(name string) (Metric, error) {
	for _, m := range All() {
		if strings.EqualFold(m.Name, name) {
			return m, nil
		}
	}
	known := "known: " + strings.Join(Names(), ", ")
	if meant := wording.Suggest(name, Names()); meant != nil {
		known = "did you mean " + strings.Join(meant, " or ") + "?"
	}
	return Metric{}, fmt.Errorf("no metric is named %q; %s", name, known)
}

// ForSelection returns the metric that selects grid points of a task. This is the named metric; for "" it is
// accuracy for classes and mse for regression. It is an error if the metric does not exist or scores of the
// task do not have it.
func ForSelection(name string, task registry.Task) (Metric, error) {
	switch {
	case name != "":
	case task == registry.Regression:
		name = "mse"
	default:
		name = "accuracy"
	}
	m, err := Lookup(name)
	switch {
	case err != nil:
	case m.Tasks&task == 0:
		err = fmt.Errorf("the metric %s is of %s sets, not of %s ones", m.Name, m.Tasks, task)
	case m.Probabilities:
		err = fmt.Errorf("the metric %s is of methods whose scores stand for probabilities, and grid points are "+
			"chosen by one that all methods have; reports take it as --metric %s", m.Name, m.Name)
	}
	return m, err
}

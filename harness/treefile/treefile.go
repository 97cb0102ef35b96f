// Package treefile reads models of boosted trees that other programs trained, and scores rows with them.
//
// It reads LightGBM's text files, and XGBoost's JSON and UBJ files in the form of the binary ones, by the package
// leaves. Linear leaves, dropped trees (dart) and splits on categories of XGBoost are refused.
package treefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dmitryikh/leaves"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Model is a file's trees.
type Model struct {
	trees     *leaves.Ensemble
	objective string
	features  int
	single    bool      // values count in single precision
	margin    []float64 // added to the sum of the trees of each group; nil for nothing
}

// Read reads a file. A file that is torn is an error, also where leaves panics over it.
func Read(text []byte) (m *Model, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("its trees cannot be read: %v", r)
		}
	}()
	switch {
	case bytes.HasPrefix(text, []byte("{")):
		return readXGBoost(text)
	case !bytes.HasPrefix(text, []byte("tree\n")) && !bytes.HasPrefix(text, []byte("tree\r\n")):
		return nil, errors.New("this is neither a text file of LightGBM, which begins with the line `tree`, nor a JSON or UBJ file of XGBoost; write one with Booster.save_model")
	}
	objective := ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "objective="); ok {
			objective = strings.TrimSpace(name)
			break
		}
	}
	if bytes.Contains(text, []byte("\nis_linear=1")) {
		return nil, errors.New("its leaves hold linear models, which are not read; train with linear_tree off")
	}
	// Version 4 is version 3 with a place for linear leaves.
	text = bytes.Replace(text, []byte("\nversion=v4"), []byte("\nversion=v3"), 1)
	trees, err := leaves.LGEnsembleFromReader(bufio.NewReader(bytes.NewReader(text)), false)
	if err != nil {
		return nil, fmt.Errorf("its trees cannot be read: %w", err)
	}
	return &Model{trees: trees, objective: objective, features: trees.NFeatures()}, nil
}

// The objectives by task: those of regression whose prediction is the sum of the trees.
var (
	ofBinary     = []string{"binary", "cross_entropy", "binary:logistic", "binary:logitraw", "binary:hinge"}
	ofMulticlass = []string{"multiclass", "multiclassova", "multi:softprob", "multi:softmax"}
	ofRegression = []string{"regression", "regression_l2", "regression_l1", "huber", "fair", "quantile", "mape",
		"reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror"}
)

// Check says why the model cannot score rows of a shape: another number of features, or an objective of another task.
func (m *Model) Check(s registry.Shape) error {
	name, _, _ := strings.Cut(m.objective, " ")
	fits := map[registry.Task]bool{
		registry.Binary:     slices.Contains(ofBinary, name),
		registry.Multiclass: slices.Contains(ofMulticlass, name),
		registry.Regression: slices.Contains(ofRegression, name) && !strings.Contains(m.objective, "sqrt"),
	}
	switch {
	case m.features != s.D:
		return fmt.Errorf("the model has %d features, the data set %d", m.features, s.D)
	case !fits[s.Task]:
		return fmt.Errorf("the model's objective is %q, and the data set's task is %s", m.objective, s.Task)
	case m.trees.NRawOutputGroups() != s.Outputs():
		return fmt.Errorf("the model gives %d scores a row, the data set needs %d", m.trees.NRawOutputGroups(), s.Outputs())
	}
	return nil
}

// Scores returns the sums of the trees for rows that Check accepts, row by row: margins of classes, or predictions.
func (m *Model) Scores(x *mat.Dense) ([]float64, error) {
	rows, columns := x.Dims()
	groups := m.trees.NRawOutputGroups()
	out := make([]float64, rows*groups)
	for i := range rows {
		row := slices.Clone(x.RawRowView(i)[:columns])
		for j, v := range row {
			if m.single {
				row[j] = float64(float32(v))
			}
		}
		if err := m.trees.Predict(row, 0, out[i*groups:(i+1)*groups]); err != nil {
			return nil, err
		}
		for g, v := range m.margin {
			out[i*groups+g] += v
		}
	}
	return out, nil
}

// Package treefile reads models of boosted trees that other programs trained, and scores rows with them.
//
// It reads LightGBM's text files, by the package leaves. XGBoost's files of today (JSON and UBJ) are
// none that leaves reads; their scores can be brought in as a file instead.
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
}

// Read reads the text of a model. A file that is torn is an error, also where leaves panics over it.
func Read(text []byte) (m *Model, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("its trees cannot be read: %v", r)
		}
	}()
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		return nil, errors.New("this is a JSON or UBJ file, such as XGBoost writes; only LightGBM's text files are read. Write its scores of the test rows to a CSV file and use `bench import FILE --method NAME`")
	case !bytes.HasPrefix(text, []byte("tree\n")) && !bytes.HasPrefix(text, []byte("tree\r\n")):
		return nil, errors.New("this is no text file of LightGBM, which begins with the line `tree`; write one with Booster.save_model")
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
	return &Model{trees, objective}, nil
}

// identity are the objectives of regression whose prediction is the sum of the trees.
var identity = []string{"regression", "regression_l2", "regression_l1", "huber", "fair", "quantile", "mape"}

// Check says why the model cannot score rows of a shape: another number of features, or an objective of another task.
func (m *Model) Check(s registry.Shape) error {
	name, _, _ := strings.Cut(m.objective, " ")
	fits := map[registry.Task]bool{
		registry.Binary:     name == "binary" || name == "cross_entropy",
		registry.Multiclass: name == "multiclass" || name == "multiclassova",
		registry.Regression: slices.Contains(identity, name) && !strings.Contains(m.objective, "sqrt"),
	}
	switch {
	case m.trees.NFeatures() != s.D:
		return fmt.Errorf("the model has %d features, the data set %d", m.trees.NFeatures(), s.D)
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
		if err := m.trees.Predict(row, 0, out[i*groups:(i+1)*groups]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

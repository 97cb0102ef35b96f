// Package externaltrees reads models of boosted trees that other programs trained, and scores rows with them.
//
// It reads the text files of LightGBM and the JSON files of XGBoost. A package named leaves scores rows with trees of
// LightGBM. Of XGBoost leaves knows only an old binary form, so trees of XGBoost are walked here. Linear leaves, dropped
// trees (dart) and XGBoost's splits on categories are refused.
package externaltrees

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Model is a file's trees.
type Model struct {
	objective string
	features  int
	groups    int                               // the number of scores a row
	predict   func(row, scores []float64) error // sets the scores of a row
}

// Read reads a file and checks it, so that scoring with the model ends and gives numbers. memory is the number of bytes
// that reading may take, 0 for any number. A file that is cut or contradicts itself is an error, even if package leaves
// panics.
func Read(text []byte, memory int64) (m *Model, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("its trees cannot be read: %v", r)
		}
	}()
	switch {
	case bytes.HasPrefix(text, []byte("{")):
		return readXGBoost(text, memory)
	case !bytes.HasPrefix(text, []byte("tree\n")) && !bytes.HasPrefix(text, []byte("tree\r\n")):
		return nil, errors.New("this is neither a text file of LightGBM, which begins with the line `tree`, nor a JSON file of XGBoost; write one with Booster.save_model")
	}
	if err := admit(text, " ", "\nTree=", memory); err != nil {
		return nil, err
	}
	return readLightGBM(text)
}

// These are the objectives by task. For these regressions the prediction is the sum of the trees.
var (
	ofBinary     = []string{"binary", "cross_entropy", "binary:logistic", "binary:logitraw", "binary:hinge"}
	ofMulticlass = []string{"multiclass", "multiclassova", "multi:softprob", "multi:softmax"}
	ofRegression = []string{"regression", "regression_l2", "regression_l1", "huber", "fair", "quantile", "mape",
		"reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror"}
)

// Check says why the model cannot score rows of a shape: the number of features or the task of its objective
// differs.
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
	case m.groups != s.Outputs():
		return fmt.Errorf("the model gives %d scores a row, the data set needs %d", m.groups, s.Outputs())
	}
	return nil
}

// Scores returns the sums of the trees for rows that Check accepts, row by row: margins of classes, or predictions.
func (m *Model) Scores(x *mat.Dense) ([]float64, error) {
	rows, columns := x.Dims()
	out := make([]float64, rows*m.groups)
	for i := range rows {
		scores := out[i*m.groups : (i+1)*m.groups]
		if err := m.predict(x.RawRowView(i)[:columns], scores); err != nil {
			return nil, err
		}
		for _, v := range scores {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("the sum of its trees for row %d is %v", i, v)
			}
		}
	}
	return out, nil
}

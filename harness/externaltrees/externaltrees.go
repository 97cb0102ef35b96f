// Package externaltrees reads models of boosted trees that other programs trained, and scores rows with them.
//
// It reads the text files of LightGBM and the JSON and UBJ files of XGBoost. A package named leaves scores the rows. Since
// leaves reads only XGBoost's binary form, files of XGBoost are first brought into that form. Linear leaves, dropped trees
// (dart) and XGBoost's splits on categories are refused.
package externaltrees

import (
	"bytes"
	"errors"
	"fmt"
	"math"
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
	groups    int       // the number of scores a row
	single    bool      // values are summed in single precision
	margin    []float64 // the constants added to the sum of the trees of each group; nil for none
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
		return nil, errors.New("this is neither a text file of LightGBM, which begins with the line `tree`, nor a JSON or UBJ file of XGBoost; write one with Booster.save_model")
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
	groups := m.groups
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
		for _, v := range out[i*groups : (i+1)*groups] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("the sum of its trees for row %d is %v", i, v)
			}
		}
	}
	return out, nil
}

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

	"github.com/kernelboosting/bench/internal/wording"
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

// These are the bytes that a part of a file takes while it is read: its text in several forms, a number in a
// list, an object or a tree. They are upper bounds of figures measured on files that hold little else.
const (
	perByte   = 6
	perNumber = 64
	perObject = 1024
)

// admit returns an error if reading a text may need more than memory bytes; 0 is no limit. number is the text
// that ends a number, object the text that begins an object.
func admit(text []byte, number, object string, memory int64) error {
	needs := perByte*int64(len(text)) + perNumber*int64(bytes.Count(text, []byte(number))) + perObject*int64(bytes.Count(text, []byte(object)))
	if memory > 0 && needs > memory {
		return fmt.Errorf("reading it may need %s of memory, and it may take %s; raise --memory", wording.Bytes(needs), wording.Bytes(memory))
	}
	return nil
}

// eachOnce returns an error unless a walk from node 0 reaches each of n nodes once. children returns the two
// children of a node, and false for a leaf.
func eachOnce(n int, children func(node int) ([2]int, bool)) error {
	seen := make([]bool, n)
	seen[0] = true
	reached, left := 1, []int{0}
	for len(left) > 0 {
		node := left[len(left)-1]
		left = left[:len(left)-1]
		pair, inner := children(node)
		if !inner {
			continue
		}
		for _, child := range pair {
			switch {
			case child < 0 || child >= n:
				return fmt.Errorf("node %d has a child that is not there", node)
			case seen[child]:
				return fmt.Errorf("a child of node %d is the root or has two parents", node)
			}
			seen[child] = true
			reached++
			left = append(left, child)
		}
	}
	if reached < n {
		return fmt.Errorf("%d of its %d nodes are reached from its root", reached, n)
	}
	return nil
}

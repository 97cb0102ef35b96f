// Package externaltrees reads models of boosted trees that other programs trained, and scores rows with them.
//
// It reads the text files of LightGBM and the JSON and UBJ files of XGBoost. A package named leaves scores rows with
// trees of LightGBM. Of XGBoost leaves knows only an old binary form, so trees of XGBoost are walked here. What it
// cannot read is refused by what it is: linear leaves, trees with several outputs, objectives that it does not know,
// fields that it does not know.
package externaltrees

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Model is a file's trees. Match says which rows it is for.
type Model struct {
	objective  objective
	names      []string // of its features; nil if the file has none
	notes      []string // what a reader of its scores must know
	features   int
	groups     int                               // the number of scores a row
	categories []int                             // the features that it takes for categories
	predict    func(row, scores []float64) error // sets the sums of trees of a row

	task    registry.Task // that of the rows
	columns []int         // the column of each feature; nil if they are the same
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
		return nil, otherKind(text, errors.New("this is neither a text file of LightGBM, which begins with the line "+
			"`tree`, nor a JSON or UBJ file of XGBoost; write one with Booster.save_model"))
	}
	if err := limitMemory(text, " ", "\nTree=", memory); err != nil {
		return nil, err
	}
	return readLightGBM(text)
}

// Match makes the model ready to score rows of a shape whose columns have these names. Features are found by name;
// those of a file without names are taken by position. It returns notes on how the rows are read, and why the model
// cannot score them: a feature that is no column, or the task of its objective.
func (m *Model) Match(s registry.Shape, columns []string) (notes []string, err error) {
	at, note, err := m.find(columns)
	switch {
	case err != nil:
		return nil, err
	case at == nil && m.features != s.D:
		return nil, fmt.Errorf("the model has %d features, the data set %d", m.features, s.D)
	case !slices.Contains(m.objective.tasks, s.Task):
		return nil, fmt.Errorf("the model's objective is %q, and the data set's task is %s", m.objective.name, s.Task)
	case m.groups != s.Outputs():
		return nil, fmt.Errorf("the model gives %d scores a row, the data set needs %d", m.groups, s.Outputs())
	}
	m.task, m.columns = s.Task, at
	if notes = slices.Clone(m.notes); note != "" {
		notes = append(notes, note)
	}
	return notes, nil
}

// find returns the column of each feature by its name, and nil where columns are taken by position. A name that no
// column has may be one whose characters a library refuses, written with underscores.
func (m *Model) find(columns []string) (at []int, note string, err error) {
	exact, underscored := map[string][]int{}, map[string][]int{}
	for j, name := range columns {
		exact[name] = append(exact[name], j)
		name = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`=",:[]{}<`, r) {
				return '_'
			}
			return r
		}, name)
		underscored[name] = append(underscored[name], j)
	}
	ordered := true
	for f, name := range m.names {
		found := exact[name]
		if found == nil {
			found = underscored[name]
		}
		switch {
		case found == nil && m.unnamed():
			return nil, byPosition, nil
		case found == nil:
			return nil, "", fmt.Errorf("its feature %d is called %q, and no column of the data set is: they are %s",
				f, name, few(columns))
		case len(found) > 1:
			return nil, "", fmt.Errorf("its feature %d is called %q, and %d columns are", f, name, len(found))
		}
		ordered = ordered && found[0] == f
		at = append(at, found[0])
	}
	switch {
	case at == nil:
		return nil, byPosition, nil
	case len(at) < len(columns):
		note = fmt.Sprintf("its %d features are found among the %d columns by name", len(at), len(columns))
	case !ordered:
		note = "its features have another order than the columns, and are found by name"
	}
	return at, note, nil
}

func few(columns []string) string {
	if len(columns) > 8 {
		return strings.Join(columns[:8], ", ") + " and others"
	}
	return strings.Join(columns, ", ")
}

const byPosition = "the file has no names of features: its first one is taken for the first column, and so on"

// unnamed reports whether the names are those that the libraries give features without names: numbers in order, by
// themselves or behind f or Column_.
func (m *Model) unnamed() bool {
	for f, name := range m.names {
		if strings.TrimPrefix(strings.TrimPrefix(name, "Column_"), "f") != strconv.Itoa(f) {
			return false
		}
	}
	return true
}

// Scores returns the scores of rows that Match accepts, row by row: the sums of trees of classes, or predictions.
func (m *Model) Scores(x *mat.Dense) ([]float64, error) {
	rows, _ := x.Dims()
	out := make([]float64, rows*m.groups)
	row := make([]float64, m.features)
	for i := range rows {
		for f := range row {
			if row[f] = x.RawRowView(i)[f]; m.columns != nil {
				row[f] = x.RawRowView(i)[m.columns[f]]
			}
		}
		for _, f := range m.categories {
			if v := row[f]; !math.IsNaN(v) && v != math.Trunc(v) {
				return nil, fmt.Errorf("row %d has %v as feature %d, which the model takes for the number of "+
					"a category; --units file shows it the numbers of the data file", i, v, f)
			}
		}
		scores := out[i*m.groups : (i+1)*m.groups]
		if err := m.predict(row, scores); err != nil {
			return nil, err
		}
		for k, sum := range scores {
			scores[k] = m.objective.score(sum, m.task)
			if v := scores[k]; math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("the score of its trees for row %d is %v", i, v)
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

// limitMemory returns an error if reading a text may need more than memory bytes; 0 is no limit. number is the text
// that ends a number, object the text that begins an object.
func limitMemory(text []byte, number, object string, memory int64) error {
	numbers, objects := bytes.Count(text, []byte(number)), bytes.Count(text, []byte(object))
	return limitBytes(perByte*int64(len(text))+perNumber*int64(numbers)+perObject*int64(objects), memory)
}

// limitBytes returns an error if so many bytes are more than memory; 0 is no limit.
func limitBytes(needs, memory int64) error {
	if memory > 0 && needs > memory {
		return fmt.Errorf("reading it may need %s of memory, and it may take %s; raise --memory",
			wording.Bytes(needs), wording.Bytes(memory))
	}
	return nil
}

// eachOnce returns an error unless a walk from node 0 reaches each of n nodes once, but for those that were deleted.
// children returns the two children of a node, and false for a leaf.
func eachOnce(n, deleted int, children func(node int) ([2]int, bool)) error {
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
	if reached+deleted != n {
		return fmt.Errorf("%d of its %d nodes are reached from its root, and %d were deleted", reached, n, deleted)
	}
	return nil
}

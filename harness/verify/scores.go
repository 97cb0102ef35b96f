package verify

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// Scores are test scores that a method gave in another program, by data set, split and row of the data file.
type Scores map[string]map[int]map[int][]float64

// allTasks are the tasks that imported scores may belong to.
const allTasks = registry.Binary | registry.Multiclass | registry.Regression

// Elsewhere is what is known of test scores that another program computed.
type Elsewhere struct {
	Method, Version string // the method's name, which no method of this program has, and a version
	File            string // where they come from, for people
	Probabilities   bool   // scores of two classes are probabilities of class +1, those of more classes one for each
}

// OfScores counts test scores of a method that this program does not have, and returns runs for the store. They are
// cells of h's protocol under the method's name and version. They have no folds and no times, and are marked as
// imported from the file. The data must be here. It is an error if a name is unknown, if the method is one of this
// program, or if the scores are not exactly those of a split's test rows.
func OfScores(ctx context.Context, h *plan.Experiment, of Elsewhere, scores Scores) ([]result.Run, error) {
	if _, err := h.Registry.Lookup(of.Method); err == nil {
		return nil, fmt.Errorf("%s is a method of this program; give what is imported another name", of.Method)
	}
	elsewhere := *h
	elsewhere.Registry = registry.New(registry.DefineRaw(registry.Spec{
		Name: of.Method, Version: of.Version, Tasks: allTasks, Gaps: true,
		Source: "imported test scores", Summary: "a method elsewhere",
	}, nil, nil, func(context.Context, registry.Env, registry.Data, json.RawMessage) (registry.Model, error) {
		return nil, errors.New("the method is not of this program")
	}))
	var out []result.Run
	for _, set := range slices.Sorted(maps.Keys(scores)) {
		runs, err := admitSet(ctx, &elsewhere, set, scores[set], of.Probabilities)
		if err != nil {
			return nil, err
		}
		for i := range runs {
			runs[i].Imported = of.File
			runs[i].Environment = &result.Environment{ProgramVersion: environment.ProgramVersion}
		}
		out = append(out, runs...)
	}
	return out, nil
}

// admitSet counts the scores of one data set, one split after another.
func admitSet(
	ctx context.Context, h *plan.Experiment, name string, splits map[int]map[int][]float64, probabilities bool,
) ([]result.Run, error) {
	entry, err := h.Catalogue.Lookup(name)
	if err != nil {
		return nil, err
	}
	set, err := read.Load(ctx, h.Data, entry)
	if err != nil {
		return nil, err
	}
	var of registry.Probability
	if probabilities {
		if splits, of, err = asMargins(entry.Name, set.Task, splits); err != nil {
			return nil, err
		}
	}
	plan, err := h.Plan(ctx, plan.Request{Datasets: []string{entry.Name}, Splits: slices.Sorted(maps.Keys(splits))},
		nil, nil)
	if err != nil {
		return nil, err
	}
	var out []result.Run
	for _, c := range plan.Cells {
		run, err := c.Spec.Imported(h.Protocol, set, splits[c.Split], of)
		if err != nil {
			return nil, err
		}
		out = append(out, run)
	}
	if len(out) != len(splits) {
		return nil, fmt.Errorf("%s: %d of %d splits can be planned", entry.Name, len(out), len(splits))
	}
	slices.SortFunc(out, func(a, b result.Run) int { return a.Split - b.Split })
	return out, nil
}

// asMargins returns scores that are probabilities as scores whose sign or whose largest decides, with what turns
// those of two classes into probabilities again.
func asMargins(
	set string, task registry.Task, splits map[int]map[int][]float64,
) (map[int]map[int][]float64, registry.Probability, error) {
	if task == registry.Regression {
		return nil, nil, fmt.Errorf("%s is a regression, whose scores are predictions and no probabilities", set)
	}
	out := map[int]map[int][]float64{}
	for _, number := range slices.Sorted(maps.Keys(splits)) { // an error names the first
		rows := splits[number]
		out[number] = map[int][]float64{}
		for row, values := range rows {
			for _, p := range values {
				if p < 0 || p > 1 {
					return nil, nil, fmt.Errorf("%s, split %d, row %d: %v is no probability", set, number, row, p)
				}
			}
			if len(values) == 1 {
				values = []float64{values[0] - .5}
			}
			out[number][row] = values
		}
	}
	return out, func(score float64) float64 { return score + .5 }, nil
}

// Unsigned reports whether all scores of a split, of one score a row, lie in [0, 1]: they look like probabilities,
// and are all of class +1 where the sign decides.
func (s Scores) Unsigned(set string) bool {
	for _, rows := range s[set] {
		for _, values := range rows {
			if len(values) != 1 || values[0] < 0 || values[0] > 1 {
				return false
			}
		}
	}
	return true
}

// ReadScores reads a CSV file with the columns dataset, split, row and score, in any order. For a task with K classes
// the columns score_0 to score_K-1 replace score. A row of a split may occur once. Errors name the line.
func ReadScores(r io.Reader) (Scores, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("the first line names the columns dataset, split, row and score: %w", err)
	}
	if len(head) > 0 {
		head[0] = strings.TrimPrefix(head[0], "\ufeff")
	}
	columns, err := scoreColumns(slices.Clone(head))
	if err != nil {
		return nil, err
	}
	out := Scores{}
	for {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		if err := out.add(record, columns); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("it holds no score")
	}
	return out, nil
}

// columns holds the position of each column of the file.
type columns struct {
	dataset, split, row int
	scores              []int
}

func scoreColumns(head []string) (columns, error) {
	for i := range head {
		head[i] = strings.TrimSpace(head[i])
	}
	shown := fmt.Sprintf("%.200s", wording.Spelled(strings.Join(head, ", ")))
	for i, name := range head {
		if slices.Contains(head[:i], name) {
			return columns{}, fmt.Errorf("its columns are %s: %q is there twice", shown, wording.Spelled(name))
		}
	}
	at := func(name string) int { return slices.Index(head, name) }
	c := columns{dataset: at("dataset"), split: at("split"), row: at("row")}
	if i := at("score"); i >= 0 {
		c.scores = []int{i}
	}
	for k := 0; ; k++ {
		i := at("score_" + strconv.Itoa(k))
		if i < 0 {
			break
		}
		c.scores = append(c.scores, i)
	}
	if c.dataset < 0 || c.split < 0 || c.row < 0 || len(c.scores) == 0 || at("score") >= 0 && len(c.scores) > 1 {
		return c, fmt.Errorf("its columns are %s; name them dataset, split, row, and score, or score_0, score_1 and "+
			"so on for several classes", shown)
	}
	return c, nil
}

func (s Scores) add(record []string, c columns) error {
	set := strings.TrimSpace(record[c.dataset])
	split, err := strconv.Atoi(strings.TrimSpace(record[c.split]))
	if err != nil || split < 1 || split > math.MaxInt32 {
		return fmt.Errorf("split %q is not a number from 1", record[c.split])
	}
	row, err := strconv.Atoi(strings.TrimSpace(record[c.row]))
	if err != nil || row < 0 {
		return fmt.Errorf("row %q is not a number from 0", record[c.row])
	}
	var values []float64
	for _, i := range c.scores {
		v, ok := wording.ParseDecimal([]byte(strings.TrimSpace(record[i])))
		if !ok {
			return fmt.Errorf("score %q is not a finite decimal number", record[i])
		}
		values = append(values, v)
	}
	if s[set] == nil {
		s[set] = map[int]map[int][]float64{}
	}
	if s[set][split] == nil {
		s[set][split] = map[int][]float64{}
	}
	if _, twice := s[set][split][row]; twice {
		return fmt.Errorf("row %d of split %d of %s is there twice", row, split, set)
	}
	s[set][split][row] = values
	return nil
}

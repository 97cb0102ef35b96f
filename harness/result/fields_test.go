package result

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// twoClasses returns a score of 30 rows with every value that two classes have.
func twoClasses() Score {
	return Score{N: 30, Correct: new(27), TN: new(10), FP: new(1), FN: new(2), TP: new(17), AUC2: new(int64(400)),
		LogLoss: new(0.25), Brier: new(0.0625), ECE: new(0.1)}
}

// TestCheck: each change makes a valid score contradict itself or its task.
func TestCheck(t *testing.T) {
	valid := map[string]func() Score{
		"binary":     twoClasses,
		"multiclass": func() Score { return Score{N: 5, Correct: new(5)} },
		"regression": func() Score { return Score{N: 5, RMSE: new(1.5), MAE: new(1.0), R2: new(-3.0)} },
	}
	for task, score := range valid {
		must.Do(t, score().Check(task))
		for other := range valid {
			if other != task && score().Check(other) == nil {
				t.Errorf("a score of task %s is valid for task %s", task, other)
			}
		}
	}
	for _, c := range []struct {
		task, what string
		change     func(*Score)
	}{
		{"binary", "more rows", func(s *Score) { s.N++ }},
		{"binary", "no area, and one more", func(s *Score) { s.AUC2, s.TP = nil, new(18) }},
		{"binary", "an area beyond all pairs", func(s *Score) { s.AUC2 = new(int64(2*11*19 + 1)) }},
		{"binary", "a negative area", func(s *Score) { s.AUC2 = new(int64(-1)) }},
		{"binary", "no counts of classes", func(s *Score) { s.TN, s.FP, s.FN, s.TP = nil, nil, nil, nil }},
		{"binary", "a negative count", func(s *Score) { s.FP, s.TN = new(-1), new(12) }},
		{"binary", "a Brier score above 1", func(s *Score) { s.Brier = new(1.5) }},
		{"binary", "no log loss", func(s *Score) { s.LogLoss = nil }},
		{"binary", "no calibration error", func(s *Score) { s.ECE = nil }},
		{"binary", "a log loss that is no number", func(s *Score) { s.LogLoss = new(math.NaN()) }},
		{"multiclass", "more right than there are", func(s *Score) { s.N = 4 }},
		{"multiclass", "no count", func(s *Score) { s.Correct = nil }},
		{"multiclass", "too many rows", func(s *Score) { s.N = mostRows + 1 }},
		{"regression", "no error", func(s *Score) { s.MAE = nil }},
		{"regression", "a negative error", func(s *Score) { s.RMSE = new(-1.0) }},
		{"regression", "an error that is no number", func(s *Score) { s.RMSE = new(math.NaN()) }},
		{"regression", "a mean error beyond the root of the mean square", func(s *Score) { s.MAE = new(2 * *s.RMSE) }},
		{"regression", "more than all explained", func(s *Score) { s.R2 = new(1.5) }},
		{"binary", "an area below what its counts say", func(s *Score) { s.AUC2 = new(int64(2**s.TN**s.TP - 1)) }},
		{"regression", "a negative number of rows", func(s *Score) { s.N = -1 }},
		{"ranking", "an unknown task", func(*Score) {}},
	} {
		s := twoClasses()
		if score := valid[c.task]; score != nil {
			s = score()
		}
		c.change(&s)
		if s.Check(c.task) == nil {
			t.Errorf("%s: a score with %s is valid", c.task, c.what)
		}
	}
}

// TestFields: every field returns the value that was set, and refuses a value of another kind.
func TestFields(t *testing.T) {
	values := map[Kind]any{Count: int64(7), Wide: int64(math.MaxInt64), Real: math.Inf(1)}
	for _, f := range Fields() {
		var s Score
		must.Be(t, f.Value(&s), nil, f.Name)
		if err := f.Set(&s, values[f.Kind]); err != nil || f.Value(&s) != values[f.Kind] {
			t.Errorf("%s is set to %v and read as %v, %v", f.Name, values[f.Kind], f.Value(&s), err)
		}
		wrong := any("7")
		if f.Kind != Real {
			wrong = 7.0
		}
		must.Say(t, f.Set(&s, wrong), f.Name)
		if err := f.Set(&s, nil); err != nil || f.Value(&s) != nil {
			t.Errorf("%s is set to nothing and read as %v, %v", f.Name, f.Value(&s), err)
		}
		if f.Needs&^f.Tasks != 0 || f.Tasks&^(classes|registry.Regression) != 0 || f.Title == "" {
			t.Errorf("%s: tasks %v, needs %v, title %q", f.Name, f.Tasks, f.Needs, f.Title)
		}
	}
}

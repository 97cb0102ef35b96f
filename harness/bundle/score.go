package bundle

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/harness/result"
)

// A number is one number of a score: an integer with get and set, or a real.
type number struct {
	get  func(s result.Score) int64
	set  func(s *result.Score, v int64)
	real func(s *result.Score) **float64
}

// The tasks, as result.Run names them.
const (
	taskBinary     = "binary"
	taskMulticlass = "multiclass"
	taskRegression = "regression"
)

var rows = number{get: func(s result.Score) int64 { return int64(s.N) }, set: func(s *result.Score, v int64) { s.N = int(v) }}

// numbers returns the numbers of a score in the order of the file. The meaning of a number may depend on earlier numbers.
func numbers(task string) []number {
	switch task {
	case taskBinary:
		return []number{rows,
			{func(s result.Score) int64 { return int64(*s.FN + *s.TP) }, func(s *result.Score, v int64) { s.FN, s.TP = new(int), ptr(int(v)) }, nil},
			{func(s result.Score) int64 { return int64(*s.FP) }, func(s *result.Score, v int64) {
				s.FP, s.TN = ptr(int(v)), ptr(s.N-*s.TP-int(v))
			}, nil},
			{func(s result.Score) int64 { return int64(*s.FN) }, func(s *result.Score, v int64) {
				s.FN, s.TP = ptr(int(v)), ptr(*s.TP-int(v))
				s.Correct = ptr(*s.TN + *s.TP)
			}, nil},
			{func(s result.Score) int64 {
				if s.AUC2 == nil {
					return 0
				}
				return *s.AUC2 + 1
			}, func(s *result.Score, v int64) {
				if v != 0 {
					s.AUC2 = ptr(v - 1)
				}
			}, nil},
		}
	case taskMulticlass:
		return []number{rows, {func(s result.Score) int64 { return int64(*s.Correct) }, func(s *result.Score, v int64) { s.Correct = ptr(int(v)) }, nil}}
	default:
		return []number{rows,
			{real: func(s *result.Score) **float64 { return &s.RMSE }},
			{real: func(s *result.Score) **float64 { return &s.MAE }},
			{real: func(s *result.Score) **float64 { return &s.R2 }},
		}
	}
}

func ptr[T any](v T) *T { return &v }

// most is the largest count. It makes products of two counts exact.
const most = math.MaxInt32

// check refuses a score that has other numbers than its task needs, or numbers that contradict each other.
func check(task string, s result.Score) error {
	if s.N < 0 || s.N > most {
		return fmt.Errorf("a score of %d rows", s.N)
	}
	bad := fmt.Errorf("the counts of a score disagree, or are not those of task %q", task)
	switch task {
	case taskBinary:
		if s.Correct == nil || s.TN == nil || s.FP == nil || s.FN == nil || s.TP == nil || s.RMSE != nil || s.MAE != nil || s.R2 != nil {
			return bad
		}
		tn, fp, fn, tp := *s.TN, *s.FP, *s.FN, *s.TP
		for _, n := range []int{tn, fp, fn, tp} {
			if n < 0 || n > s.N {
				return bad
			}
		}
		if tn+fp+fn+tp != s.N || tn+tp != *s.Correct || s.AUC2 != nil && (*s.AUC2 < 0 || *s.AUC2 > 2*int64(tn+fp)*int64(fn+tp)) {
			return bad
		}
	case taskMulticlass:
		if s.Correct == nil || *s.Correct < 0 || *s.Correct > s.N || s.TN != nil || s.FP != nil || s.FN != nil || s.TP != nil || s.AUC2 != nil || s.RMSE != nil || s.MAE != nil || s.R2 != nil {
			return bad
		}
	case taskRegression:
		for _, v := range []*float64{s.RMSE, s.MAE, s.R2} {
			if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
				return bad
			}
		}
		if s.RMSE == nil || s.MAE == nil || s.Correct != nil || s.TN != nil || s.FP != nil || s.FN != nil || s.TP != nil || s.AUC2 != nil {
			return bad
		}
	default:
		return fmt.Errorf("task %q is not one of %s, %s, %s", task, taskBinary, taskMulticlass, taskRegression)
	}
	return nil
}

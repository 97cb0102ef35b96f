package bundle

import (
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

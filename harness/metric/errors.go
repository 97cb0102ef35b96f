package metric

import (
	"math/big"

	"github.com/kernelboosting/bench/harness/result"
)

// With targets y_i of n rows, their mean m, and predictions f_i:
//
//	mse   sum (y_i - f_i)^2 / n
//	rmse  the root of mse
//	mae   sum |y_i - f_i| / n
//	r2    1 - sum (y_i - f_i)^2 / sum (y_i - m)^2
//
// These are the definitions of Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 2nd ed.
// 2009, sections 2.4 and 7.2. The score of a regression holds rmse, mae and r2 as float64, and a metric
// is one of them unchanged. An error that is not finite is no value. There is no r2 if all targets are
// equal. In this case scikit-learn gives 1 (all right) or 0, which is a convention and not a share of a
// variance.

// mse is the square of rmse, rounded to float64.
func mse(s result.Score) *big.Rat {
	if s.RMSE == nil {
		return nil
	}
	return exactly(*s.RMSE * *s.RMSE)
}

// exactly returns v as an exact number, nil if v is not finite.
func exactly(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

package metric

import (
	"math/big"

	"github.com/kernelboosting/bench/harness/result"
)

// accuracy is the share of rows whose class is right. A score of no rows has no accuracy.
func accuracy(s result.Score) *big.Rat {
	if s.Correct == nil {
		return nil
	}
	return ratio(*s.Correct, s.N)
}

func misclassified(s result.Score) *big.Rat {
	if s.Correct == nil {
		return nil
	}
	return ratio(s.N-*s.Correct, s.N)
}

// balancedAccuracy is the mean of the recalls of the two classes, tp/(tp+fn) and tn/(tn+fp) (Brodersen, Ong,
// Stephan and Buhmann, ICPR 2010). It does not exist if a class has no row. In this case scikit-learn gives
// the recall of the other class with a warning, which would be another measure.
func balancedAccuracy(s result.Score) *big.Rat {
	if s.TP == nil {
		return nil
	}
	positive, negative := ratio(*s.TP, *s.TP+*s.FN), ratio(*s.TN, *s.TN+*s.FP)
	if positive == nil || negative == nil {
		return nil
	}
	positive.Add(positive, negative)
	return positive.Mul(positive, half)
}

var half = big.NewRat(1, 2)

// f1 is the harmonic mean of precision and recall of +1, 2 tp/(2 tp + fp + fn) (van Rijsbergen, Information
// Retrieval, 1979). As in scikit-learn f1 is 0 where no row is of class +1 and no row is predicted to be.
func f1(s result.Score) *big.Rat {
	if s.TP == nil {
		return nil
	}
	return orZero(ratio(2**s.TP, 2**s.TP+*s.FP+*s.FN))
}

// mcc is the correlation of the true and the predicted labels,
//
//	(tp tn - fp fn) / sqrt((tp+fp) (tp+fn) (tn+fp) (tn+fn))
//
// (Matthews, Biochimica et Biophysica Acta 405, 1975). As in scikit-learn mcc is 0 where the quotient is 0/0,
// which means that a class has no row or is never predicted. mcc is exact where the root is an integer, and
// the nearest float64 otherwise.
func mcc(s result.Score) *big.Rat {
	if s.TP == nil {
		return nil
	}
	product := func(factors ...int) *big.Int {
		p := big.NewInt(1)
		for _, f := range factors {
			p.Mul(p, big.NewInt(int64(f)))
		}
		return p
	}
	tp, tn, fp, fn := *s.TP, *s.TN, *s.FP, *s.FN
	square := product(tp+fp, tp+fn, tn+fp, tn+fn)
	if square.Sign() == 0 {
		return new(big.Rat)
	}
	over := product(tp, tn)
	over.Sub(over, product(fp, fn))
	root := new(big.Int).Sqrt(square)
	if new(big.Int).Mul(root, root).Cmp(square) == 0 {
		return new(big.Rat).SetFrac(over, root)
	}
	const digits = 256 // far more than a float64 has, so that rounding twice is rounding once
	r := new(big.Float).SetPrec(digits).SetInt(square)
	r.Quo(new(big.Float).SetPrec(digits).SetInt(over), r.Sqrt(r))
	v, _ := r.Float64()
	return new(big.Rat).SetFloat64(v)
}

// auc is the area under the ROC curve: the share of pairs of a -1 and a +1 row whose scores are in order,
// where a pair with equal scores counts half (Hanley and McNeil, Radiology 143, 1982). It does not exist if a
// class has no row.
func auc(s result.Score) *big.Rat {
	if s.AUC2 == nil || s.TP == nil {
		return nil
	}
	pairs := int64(*s.TP+*s.FN) * int64(*s.TN+*s.FP)
	if pairs == 0 {
		return nil
	}
	return big.NewRat(*s.AUC2, 2*pairs)
}

func ratio(a, b int) *big.Rat {
	if b == 0 {
		return nil
	}
	return big.NewRat(int64(a), int64(b))
}

func orZero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

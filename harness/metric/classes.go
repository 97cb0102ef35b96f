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

// A confusion counts the rows of two classes by their class and by the predicted one: tp and fn are of class +1 and
// predicted to be +1 and -1, fp and tn are of class -1.
type confusion struct{ tn, fp, fn, tp int }

// ofConfusion makes the Of of a metric of two classes, which a function computes from the counts alone. Whether the
// function returns a value may depend on the numbers of rows of the two classes, and on nothing else: where it would
// divide by 0 for some predictions of the same rows, it returns 0 (see orZero).
func ofConfusion(of func(confusion) *big.Rat) func(result.Score) *big.Rat {
	return func(s result.Score) *big.Rat {
		if s.TP == nil {
			return nil
		}
		return of(confusion{*s.TN, *s.FP, *s.FN, *s.TP})
	}
}

// balancedAccuracy is the mean of the recalls of the two classes, tp/(tp+fn) and tn/(tn+fp) (Brodersen, Ong,
// Stephan and Buhmann, ICPR 2010). It does not exist if a class has no row. In this case scikit-learn gives
// the recall of the other class with a warning, which would be another measure.
func balancedAccuracy(c confusion) *big.Rat {
	positive, negative := ratio(c.tp, c.tp+c.fn), ratio(c.tn, c.tn+c.fp)
	if positive == nil || negative == nil {
		return nil
	}
	positive.Add(positive, negative)
	return positive.Mul(positive, half)
}

var half = big.NewRat(1, 2)

// f1 is the harmonic mean of precision and recall of +1, 2 tp/(2 tp + fp + fn) (van Rijsbergen, Information
// Retrieval, 1979). As in scikit-learn f1 is 0 where no row is of class +1 and no row is predicted to be.
func f1(c confusion) *big.Rat { return orZero(ratio(2*c.tp, 2*c.tp+c.fp+c.fn)) }

// mcc is the correlation of the true and the predicted labels,
//
//	(tp tn - fp fn) / sqrt((tp+fp) (tp+fn) (tn+fp) (tn+fn))
//
// (Matthews, Biochimica et Biophysica Acta 405, 1975). As in scikit-learn mcc is 0 where the quotient is 0/0,
// which means that a class has no row or is never predicted. mcc is exact where the root is an integer, and
// the nearest float64 otherwise.
func mcc(c confusion) *big.Rat {
	product := func(factors ...int) *big.Int {
		p := big.NewInt(1)
		for _, f := range factors {
			p.Mul(p, big.NewInt(int64(f)))
		}
		return p
	}
	square := product(c.tp+c.fp, c.tp+c.fn, c.tn+c.fp, c.tn+c.fn)
	if square.Sign() == 0 {
		return new(big.Rat)
	}
	over := product(c.tp, c.tn)
	over.Sub(over, product(c.fp, c.fn))
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

package split

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/kernelboosting/bench/registry/rng"
)

// stratifiedSplit gives each class its share of the nTrain and nTest rows,
// permutes the rows of each class in the order of the sorted labels, and then
// permutes the two parts.
func stratifiedSplit(rng *rng.RandomState, y []float64, nTrain, nTest int) (train, test []int, err error) {
	classes := sortedLabels(y)
	counts := make([]int, len(classes))
	for _, label := range y {
		counts[sort.SearchFloat64s(classes, label)]++
	}
	members := make([][]int, len(classes))
	for c, n := range counts {
		if n < 2 {
			return nil, nil, fmt.Errorf("class %g has %d row: a stratified split needs 2", classes[c], n)
		}
		members[c] = make([]int, 0, n)
	}
	for row, label := range y {
		c := sort.SearchFloat64s(classes, label)
		members[c] = append(members[c], row)
	}
	forTrain := apportion(rng, counts, nTrain)
	rest := make([]int, len(counts))
	for c := range counts {
		rest[c] = counts[c] - forTrain[c]
	}
	forTest := apportion(rng, rest, nTest)
	train, test = make([]int, 0, nTrain), make([]int, 0, nTest)
	for c, rows := range members {
		permute(rng, rows)
		train = append(train, rows[:forTrain[c]]...)
		test = append(test, rows[forTrain[c]:forTrain[c]+forTest[c]]...)
	}
	permute(rng, train)
	permute(rng, test)
	return train, test, nil
}

// apportion divides draws among classes in proportion to their counts. After rounding down, the remaining
// draws go to the classes with the largest remainders. Among equal remainders the generator decides
// (scikit-learn's approximate mode of the multivariate hypergeometric).
func apportion(rng *rng.RandomState, counts []int, draws int) []int {
	total := 0
	for _, c := range counts {
		total += c
	}
	share := make([]int, len(counts))
	remainder := make([]float64, len(counts))
	left := draws
	for i, c := range counts {
		exact := float64(float64(c) / float64(total) * float64(draws))
		whole := math.Floor(exact)
		share[i], remainder[i] = int(whole), exact-whole
		left -= share[i]
	}
	values := sortedLabels(remainder)
	for v := len(values) - 1; v >= 0 && left > 0; v-- {
		var at []int
		for i, r := range remainder {
			if r == values[v] {
				at = append(at, i)
			}
		}
		give := min(len(at), left)
		for _, p := range rng.Permutation(len(at))[:give] {
			share[at[p]]++
		}
		left -= give
	}
	return share
}

// stratifiedFolds deals the sorted labels to the folds in turn. This fixes how many rows of a class each fold
// gets. Then it shuffles the fold numbers of each class over the rows of the class. Classes count in the
// order of their first appearance. what names the rows in an error.
func stratifiedFolds(rng *rng.RandomState, y []float64, folds int, what string) ([][]int, error) {
	code := map[float64]int{}
	var counts []int
	codes := make([]int32, len(y))
	for i, label := range y {
		c, seen := code[label]
		if !seen {
			c = len(counts)
			code[label] = c
			counts = append(counts, 0)
		}
		codes[i] = int32(c)
		counts[c]++
	}
	for label, c := range code {
		if counts[c] < folds {
			return nil, fmt.Errorf("class %g has %d %s: %d folds need as many", label, counts[c], what, folds)
		}
	}
	fold := make([]int32, len(y))
	dealt := 0
	for c, count := range counts {
		share := make([]int, folds)
		for range count {
			share[dealt%folds]++
			dealt++
		}
		numbers := make([]int32, 0, count)
		for f, k := range share {
			for range k {
				numbers = append(numbers, int32(f))
			}
		}
		rng.Shuffle(count, func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
		next := 0
		for i := range y {
			if codes[i] == int32(c) {
				fold[i] = numbers[next]
				next++
			}
		}
	}
	return byFold(fold, folds), nil
}

// plainFolds shuffles the positions and cuts them into folds whose sizes differ by at most one, the larger
// folds first.
func plainFolds(rng *rng.RandomState, n, folds int) [][]int {
	p := rng.Permutation(n)
	fold := make([]int32, n)
	start := 0
	for f := range folds {
		size := n / folds
		if f < n%folds {
			size++
		}
		for _, at := range p[start : start+size] {
			fold[at] = int32(f)
		}
		start += size
	}
	return byFold(fold, folds)
}

func byFold(fold []int32, folds int) [][]int {
	sizes := make([]int, folds)
	for _, f := range fold {
		sizes[f]++
	}
	out := make([][]int, folds)
	for f, n := range sizes {
		out[f] = make([]int, 0, n)
	}
	for i, f := range fold {
		out[f] = append(out[f], i)
	}
	return out
}

func sortedLabels(y []float64) (distinct []float64) {
	for _, v := range y {
		if at, found := slices.BinarySearch(distinct, v); !found {
			distinct = slices.Insert(distinct, at, v)
		}
	}
	return distinct
}

// permute puts rows into the order that NumPy's permutation gives them.
func permute(rng *rng.RandomState, rows []int) {
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}

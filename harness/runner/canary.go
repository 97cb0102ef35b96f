package runner

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/registry"
)

// A Canary marks a cell whose training labels contradict the truth.
//
// # The problem
//
// A method that the project did not write may know the labels of test rows: from the file of the data set,
// from an answer of an earlier cell, from a cache on disk. Its results look like those of a very good method.
// A canary is a cell that the method cannot distinguish from other cells: it has the same rows, folds and grid,
// and the same number of rows of each class in every fold. Only the assignment of labels to training rows is
// changed. The test rows keep their true labels. A method that learns from its training labels cannot be
// right about the test rows. A method that knows the true labels from elsewhere is right about them.
//
// # The labels
//
// A random permutation of the labels is not enough. Rows of real data lie in clusters, and an honest learner
// gives a cluster one label. By luck this label is the true one: with two pure clusters a learner gets all
// rows right in half of all permutations, though each row looks like one more proof. So [CanaryLabels] contradicts
// the truth as far as the sizes of the classes permit. As few rows as possible keep their label, and every
// other row gets a label of another class at random. Let p be the true share of class c near a row. Then the
// share of label c there is about (1-p) times a constant: the label is rarest where the class is most
// frequent. A learner that finds what its labels say is then wrong more often than chance, whether the rows
// form one cluster or a hundred. With two classes of equal size the labels are exactly swapped, so that the
// problem is as learnable as the true one. The values of a regression are given in the reverse order of their
// ranks, and the ranks are disturbed a little.
//
// # The statistic
//
// [CanaryP] tests for each class whether rows that are predicted to be of the class are of the class more often than
// chance. The test is Fisher's exact test, one-sided: the tail of a hypergeometric distribution. With two classes the
// two tests are the same, and their p is the answer. With k > 2 classes there are k p-values, and the answer is k times
// the second smallest p-value. The smallest p-value is left out, since a learner that is too simple for its data can be
// right about one class by the place of that class's rows alone. For example, a linear learner on three classes in a
// row learns from contradicting labels that each end is the other end, and this leaves the middle to the class of the
// middle. That learner is wrong about all other classes, while a method that knows the labels is not. For a regression
// there are two classes: values above the median and all other values. The truth and the predictions have a median
// each.
//
// # The rule
//
// A leak is p <= [CanaryLevel] where also the method's own result on the same rows, learned from the true labels,
// is better than always predicting the most frequent class (or the mean). The second condition is for data on
// which learners are worse than chance, as a nearest neighbour on parity is: swapped labels make that
// learner right, and the learner is honest. A learner that treats classes alike makes on swapped labels
// exactly the swapped predictions, so that it cannot meet both conditions. A method that meets both is right
// about the rows both with their labels and against them. Then the method knows the labels from elsewhere, or
// it does not learn from its training labels, as a fixed rule does not. A finding says this and no more.
//
// # What it does not find
//
// On few rows a method that knows little cannot be distinguished from chance. A method that compares its training
// labels with labels that it knows can behave well while a canary runs. docs/explanation/statistics.md has rates.
type Canary struct {
	Seed [32]byte `json:"seed"` // of the generator that draws the labels
}

// mislead gives the training rows of a split the labels of a canary. The test rows keep their true labels.
func (c *Canary) mislead(parts split.Parts) split.Parts {
	train := parts.Split.Train
	y := make([]float64, len(train))
	for i, row := range train {
		y[i] = parts.Set.Y[row]
	}
	groups := parts.Split.Folds
	if groups == nil { // nothing is searched: the training rows are one group
		groups = [][]int{make([]int, len(train))}
		for i := range train {
			groups[0][i] = i
		}
	}
	set := *parts.Set
	set.Y = append([]float64(nil), set.Y...)
	for i, v := range CanaryLabels(rand.New(rand.NewChaCha8(c.Seed)), set.Task, y, groups) {
		set.Y[train[i]] = v
	}
	parts.Set = &set
	return parts
}

// outcome turns the test scores of a canary into evidence. whole is the part that the canary was refitted on.
func (c *Canary) outcome(whole split.Part, scores []float64) *result.Canary {
	sh := whole.Score.Shape()
	return &result.Canary{
		P:        CanaryP(sh.Task, sh.Classes, whole.Score.Y, scores),
		Constant: Constant(sh.Task, whole.Score.Y),
	}
}

// CanaryLevel is the probability below which a canary is a finding.
const CanaryLevel = 1e-6

// CanaryLabels returns targets that contradict y. Values are exchanged only within a group of rows, given as
// positions of y. Where the groups are the folds, every fold keeps its number of rows of each class. A row in
// no group keeps its target. The same generator gives the same labels.
func CanaryLabels(rng *rand.Rand, task registry.Task, y []float64, groups [][]int) []float64 {
	out := slices.Clone(y)
	// Folds of a regression are not made by the targets, and a small fold has few ranks.
	if task == registry.Regression {
		reverse(rng, out, slices.Concat(groups...))
		return out
	}
	for _, rows := range groups {
		contradict(rng, out, rows)
	}
	return out
}

// contradict exchanges labels at random. Then, as long as a row has the label that it had before, it
// exchanges this label with a label that neither of the two rows had.
func contradict(rng *rand.Rand, y []float64, rows []int) {
	n := len(rows)
	classes := map[float64]int{}
	truth, given := make([]int, n), make([]int, n)
	var names []float64
	for i, row := range rows {
		c, seen := classes[y[row]]
		if !seen {
			c = len(names)
			classes[y[row]] = c
			names = append(names, y[row])
		}
		truth[i] = c
	}
	k := len(names)
	cell := func(class, label int) int { return class*k + label }
	at := make([][]int, k*k) // rows by class and label
	// kept holds the classes of rows that have their own label, in random order.
	var kept []int
	for i, from := range rng.Perm(n) {
		given[i] = truth[from]
	}
	for _, i := range rng.Perm(n) {
		at[cell(truth[i], given[i])] = append(at[cell(truth[i], given[i])], i)
		if truth[i] == given[i] {
			kept = append(kept, truth[i])
		}
	}
	pop := func(from, index int) int {
		list := at[from]
		i := list[index]
		list[index] = list[len(list)-1]
		at[from] = list[:len(list)-1]
		return i
	}
	for _, a := range kept {
		if len(at[cell(a, a)]) == 0 {
			continue // exchanged already
		}
		from := partner(rng, at, k, a)
		if from < 0 {
			continue // the class is too large: every other row has this label where it may
		}
		i, j := pop(cell(a, a), rng.IntN(len(at[cell(a, a)]))), pop(from, rng.IntN(len(at[from])))
		given[i], given[j] = given[j], a
		at[cell(a, given[i])] = append(at[cell(a, given[i])], i)
		at[cell(truth[j], a)] = append(at[cell(truth[j], a)], j)
	}
	for i, row := range rows {
		y[row] = names[given[i]]
	}
}

// partner draws a pair of class and label among the rows that have neither class a nor label a. It returns -1 if there
// is no such row.
func partner(rng *rand.Rand, at [][]int, k, a int) int {
	total := 0
	for from, list := range at {
		if from/k != a && from%k != a {
			total += len(list)
		}
	}
	if total == 0 {
		return -1
	}
	r := rng.IntN(total)
	for from, list := range at {
		if from/k == a || from%k == a {
			continue
		}
		if r -= len(list); r < 0 {
			return from
		}
	}
	panic("canary: unreachable")
}

// reverse gives rows their values in the reverse order of their ranks. Each rank is disturbed by up to a
// twentieth of the rows in both directions.
func reverse(rng *rand.Rand, y []float64, rows []int) {
	n := len(rows)
	values := make([]float64, n)
	order := rng.Perm(n) // equal values in random order
	for i, row := range rows {
		values[i] = y[row]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	place := make([]float64, n)
	for rank, i := range order {
		place[i] = float64(rank) + (rng.Float64()-0.5)*float64(n)/10
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	slices.Sort(values)
	for rank, i := range order {
		y[rows[i]] = values[n-1-rank]
	}
}

// CanaryP returns the probability that predictions by chance are as right about rows as these scores are. y holds the
// true targets. scores has one score for each row, or one for each row and class, as a model gives them.
func CanaryP(task registry.Task, classes int, y, scores []float64) float64 {
	switch task {
	case registry.Binary:
		return right(len(y), func(i int) (bool, bool) { return y[i] > 0, scores[i] >= 0 })
	case registry.Regression:
		limit, guess := median(y), median(scores)
		return right(len(y), func(i int) (bool, bool) { return y[i] > limit, scores[i] > guess })
	}
	best := make([]int, len(y))
	for i := range y {
		for c, s := range scores[i*classes : (i+1)*classes] {
			if s > scores[i*classes+best[i]] {
				best[i] = c
			}
		}
	}
	all := make([]float64, classes)
	for c := range all {
		all[c] = right(len(y), func(i int) (bool, bool) { return y[i] == float64(c), best[i] == c })
	}
	slices.Sort(all)
	return min(1, float64(classes)*all[1])
}

// Constant returns how many of the rows the best constant answer gets right; 0 for a regression.
func Constant(task registry.Task, y []float64) int {
	if task == registry.Regression {
		return 0
	}
	most, counts := 0, map[float64]int{}
	for _, v := range y {
		counts[v]++
		most = max(most, counts[v])
	}
	return most
}

// right is Fisher's exact test of n rows. For row i, row returns whether the row is of a class and whether it is
// predicted to be of the class. A hit is a row for which both are true. The result is the probability of as many hits
// or more, given the number of rows of the class and the number of rows predicted to be of the class.
func right(n int, row func(i int) (is, predicted bool)) float64 {
	var of, said, hits int
	for i := range n {
		is, predicted := row(i)
		if is {
			of++
		}
		if predicted {
			said++
		}
		if is && predicted {
			hits++
		}
	}
	p := 0.0
	for h := hits; h <= min(of, said); h++ {
		p += math.Exp(choose(of, h) + choose(n-of, said-h) - choose(n, said))
	}
	return min(1, p)
}

// choose is the logarithm of the binomial coefficient; -Inf where there is none.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	log := func(m int) float64 { v, _ := math.Lgamma(float64(m + 1)); return v }
	return log(n) - log(k) - log(n-k)
}

func median(v []float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[(len(sorted)-1)/2]
}

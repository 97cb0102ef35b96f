package split

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// mostDraws is how often groups are dealt before a division is given up that lacks a class where methods learn.
const mostDraws = 100

// A deal divides rows by their groups. All rows of a group go to one of several hands, each of which is to have a
// share of the rows of every class. This division need not exist, and finding the nearest one is hard. The deal takes
// the large groups first and gives each to the hand that it serves best, which is the idea of scikit-learn's
// StratifiedGroupKFold. There the order of groups follows from their rows, so that most seeds draw one division.
// Here
//
//	order   by descending size times a factor drawn between 1 and 2, so that groups of similar sizes change places
//	hand    the one that makes sum_{h,c} (n_hc - s_h n_c)^2 / (s_h n_c) least: Pearson's chi-square of the
//	        division, with n_c rows of class c, n_hc of them in hand h, and s_h the share of hand h; of equal
//	        ones the hand that has least of its share
//
// For regression all rows are of one class.
type deal struct {
	set     *datasets.Set
	groups  []group
	classes []float64 // n_c
	labels  []float64 // the targets of the classes; one unused value for regression
	spread  []int     // of each class: the groups that have rows of it
	rows    int
}

// A group is the rows of one group: their positions among the rows that are divided, and how many are of which class.
type group struct {
	number    int32
	positions []int
	counts    []count
}

type count struct {
	class int
	rows  float64
}

// newDeal gathers the groups of some rows of a set.
func newDeal(set *datasets.Set, rows []int) *deal {
	d := &deal{set: set, rows: len(rows), labels: []float64{0}}
	if set.Task != registry.Regression {
		d.labels = sortedLabels(at(set.Y, rows))
	}
	d.classes, d.spread = make([]float64, len(d.labels)), make([]int, len(d.labels))
	place := make([]int, len(set.Groups.Names)) // of each group, from 1
	for position, row := range rows {
		number := set.Groups.Of[row]
		if place[number] == 0 {
			d.groups = append(d.groups, group{number: number})
			place[number] = len(d.groups)
		}
		g := &d.groups[place[number]-1]
		g.positions = append(g.positions, position)
	}
	last := make([]int, len(d.labels)) // of each class: the last group that has it, from 1
	at := make([]int, len(d.labels))   // and its place in counts there
	for i := range d.groups {
		g := &d.groups[i]
		for _, position := range g.positions {
			class := 0
			if set.Task != registry.Regression {
				class, _ = slices.BinarySearch(d.labels, set.Y[rows[position]])
			}
			if last[class] != i+1 {
				last[class], at[class] = i+1, len(g.counts)
				g.counts = append(g.counts, count{class: class})
				d.spread[class]++
			}
			g.counts[at[class]].rows++
			d.classes[class]++
		}
	}
	return d
}

// hands deals the groups to hands with these shares, which add up to 1, and returns the hand of each group. A hand is
// held out of learning if its number is held or more. What is left without it keeps rows of every class in at least
// `folds` groups, but in no more than two are asked for, so that folds of it can do so again; and it has at least as
// many groups as folds. The first hand gets at most `most` rows, if most is positive.
//
// Where no draw does this, as with one group of most rows, beside which all others go to one hand, further draws give
// no hand a group that the others need.
func (d *deal) hands(rng *rng.RandomState, shares []float64, held, folds, most int) ([]int, error) {
	if err := d.possible(len(shares), held, folds); err != nil {
		return nil, err
	}
	var err error
	for try := range 2 * mostDraws {
		bounded := len(shares) // no hand
		if try >= mostDraws {
			bounded = held
		}
		hand, failed := d.draw(rng, shares, bounded, folds, most)
		if failed == nil {
			failed = d.check(hand, len(shares), held, folds)
		}
		if failed == nil {
			return hand, nil
		}
		if failed != errNoHand {
			err = failed
		}
	}
	return nil, err
}

// possible refuses rows that no deal can divide.
func (d *deal) possible(hands, held, folds int) error {
	n := len(d.groups)
	if least := max(hands, folds+1); n < least {
		return fmt.Errorf("the rows have %s: %d parts and %d folds need %d; take fewer folds, or add groups",
			d.some(n), hands, folds, least)
	}
	if largest := (n + hands - 1) / hands; held == 0 && n-largest < folds {
		return fmt.Errorf("the rows have %s: one of %d parts has %d of them, which leaves too few for %d folds; take "+
			"at most %d folds, or add groups", d.some(n), hands, largest, folds, n-largest)
	}
	for c, n := range d.spread {
		if n < 2 {
			return fmt.Errorf("all rows of class %s are of one group, %s = %q, so that no part can be tested on the "+
				"class after another learned it; add groups of the class, or leave it out",
				d.class(c), d.set.Groups.Column, d.groupOf(c))
		}
	}
	return nil
}

// errNoHand says that no hand may take a group.
var errNoHand = errors.New("no part may take a group")

// draw deals the groups once. Hands from `bounded` on leave groups for `folds` folds, and of every class.
func (d *deal) draw(rng *rng.RandomState, shares []float64, bounded, folds, most int) ([]int, error) {
	order, key := make([]int, len(d.groups)), make([]float64, len(d.groups))
	for i, g := range d.groups {
		order[i], key[i] = i, float64(float64(len(g.positions))*(1+rng.Float64()))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key[b], key[a]) })
	has := make([][]float64, len(shares)) // n_hc
	for h := range has {
		has[h] = make([]float64, len(d.classes))
	}
	full := make([]float64, len(shares)) // rows of a hand over its share
	rows := make([]int, len(shares))
	hand, groups := make([]int, len(d.groups)), make([]int, len(shares))
	of := make([]int, len(shares)*len(d.classes)) // groups of hand h that have class c
	for _, i := range order {
		g := d.groups[i]
		best, least := -1, 0.0
		for h, share := range shares {
			if h == 0 && most > 0 && rows[h]+len(g.positions) > most ||
				h >= bounded && !d.spares(g, groups[h], of[h*len(d.classes):], folds) {
				continue
			}
			more := 0.0 // what the group adds to the sum there
			for _, c := range g.counts {
				wanted := float64(share * d.classes[c.class])
				more += float64(c.rows * (float64(2*(has[h][c.class]-wanted)) + c.rows) / wanted)
			}
			if best < 0 || more < least || more == least && full[h] < full[best] {
				best, least = h, more
			}
		}
		if best < 0 {
			return nil, errNoHand
		}
		for _, c := range g.counts {
			has[best][c.class] += c.rows
			of[best*len(d.classes)+c.class]++
		}
		groups[best]++
		hand[i] = best
		rows[best] += len(g.positions)
		full[best] = float64(rows[best]) / shares[best]
	}
	if h := slices.Index(rows, 0); h == 0 && most > 0 {
		return nil, fmt.Errorf("no group has at most %d rows, which train_rows asks for; ask for more", most)
	} else if h >= 0 {
		return nil, errors.New("a part has no group") // check of the number of groups makes this rare
	}
	return hand, nil
}

// spares reports whether a hand may take a group and leaves enough to learn from. It has so many groups, and so many of
// each class.
func (d *deal) spares(g group, groups int, of []int, folds int) bool {
	return len(d.groups)-groups-1 >= folds && !slices.ContainsFunc(g.counts, func(c count) bool {
		return d.spread[c.class]-of[c.class]-1 < neededGroups(folds)
	})
}

// neededGroups is how many groups of a class are left to learn from.
func neededGroups(folds int) int {
	if folds > 0 {
		return 2
	}
	return 1
}

// check refuses a division that leaves too little to learn from without one of the hands from `held` on.
func (d *deal) check(hand []int, hands, held, folds int) error {
	need := neededGroups(folds)
	groups := make([]int, hands)
	of := make([]int, hands*len(d.classes)) // groups of hand h that have class c
	for i, h := range hand {
		groups[h]++
		for _, c := range d.groups[i].counts {
			of[h*len(d.classes)+c.class]++
		}
	}
	for h := held; h < hands; h++ {
		if left := len(d.groups) - groups[h]; left < folds {
			return fmt.Errorf("the rows have %s, of which a part of %d groups leaves too few for %d folds",
				d.some(len(d.groups)), groups[h], folds)
		}
		for c, spread := range d.spread {
			if spread-of[h*len(d.classes)+c] < need {
				return fmt.Errorf("class %s has rows in %s: too few to be learned from in every part and fold; add "+
					"groups of the class, or leave the class out", d.class(c), d.some(spread))
			}
		}
	}
	return nil
}

// some writes a number of groups.
func (d *deal) some(n int) string {
	return fmt.Sprintf("%d groups (column %s)", n, d.set.Groups.Column)
}

func (d *deal) class(c int) string {
	label := d.labels[c]
	if d.set.Task == registry.Binary {
		label = (label + 1) / 2
	}
	if c = int(label); c < len(d.set.Labels) {
		return strconv.Quote(d.set.Labels[c])
	}
	return fmt.Sprintf("%g", d.labels[c])
}

// groupOf names the first group that has rows of a class.
func (d *deal) groupOf(class int) string {
	i := slices.IndexFunc(d.groups, func(g group) bool {
		return slices.ContainsFunc(g.counts, func(c count) bool { return c.class == class })
	})
	return d.set.Groups.Names[d.groups[i].number]
}

// hold returns the positions of the rows of each hand, in ascending order.
func (d *deal) hold(hand []int, hands int) [][]int {
	of := make([]int32, d.rows)
	for i, g := range d.groups {
		for _, position := range g.positions {
			of[position] = int32(hand[i])
		}
	}
	return byFold(of, hands)
}

// apart refuses training and test rows that share a group. what names the division in the error.
func apart(set *datasets.Set, train, test []int, what string) error {
	if set.Groups == nil {
		return nil
	}
	learned := make([]int, len(set.Groups.Names)) // a row of each group, from 1
	for _, row := range train {
		learned[set.Groups.Of[row]] = row + 1
	}
	for _, row := range test {
		g := set.Groups.Of[row]
		if other := learned[g]; other > 0 {
			return fmt.Errorf("%s learns from row %d and tests on row %d, counted from 0, which are both of group "+
				"%s = %q; leave out group, or divide the rows otherwise",
				what, other-1, row, set.Groups.Column, set.Groups.Names[g])
		}
	}
	return nil
}

package frame

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/stats"
)

// These are the groups of data sets. Only the main group enters means over sets and average ranks. Other
// groups are shown below it.
const (
	GroupMain      = "main"
	GroupApart     = "apart"     // shown apart, as the paper does for bankmarketing
	GroupGenerated = "generated" // drawn by a generator
)

// Table is the cells of one table, by data set and method, for one metric.
type Table struct {
	Metric   metric.Metric
	Protocol string
	Methods  []string // in order; methods that lack counted sets are last; see Whole
	Splits   []int    // planned, in increasing order
	Sets     []Set    // the main group, then apart, then generated
	Counted  []string // names of the counted sets
	// Own are columns of methods that came neither with the program nor in a file of results: plugins that ran into
	// this database, and test scores that were imported into it. No result decides it.
	Own []string

	Missing     []Missing // what the table lacks and leaves out
	Changed     []Change  // sets whose runs belong to older data than their files
	FullCommand string    // computes what is missing; "" if nothing missing can run
	Completes   string    // computes the counted sets that partial methods lack; "" if none can run
	Warnings    []string  // texts to read before the table
	Provenance  doc.Provenance

	// Tried are the other versions and settings of the methods that a report takes as arguments, by column, in the
	// order of their first runs.
	Tried map[string][]Tried

	Frame *Frame   // what the table is made of
	whole int      // methods that have every counted set
	usual int      // number of splits of a usual set; see Few
	other []string // the Remarks

	datasets   []Dataset   // of which the table is asked
	taken      []store.Row // their cells that may be in one table
	outdated   []dropped   // cells that a run brings up to date
	otherData  []dropped   // cells of other data
	undeclared []string    // methods whose scores are no probabilities
	unmeasured dropped     // cells without a metric of probabilities
	rows       map[cellKey][]store.Row
}

// Dataset is what is known of a set; a count of zero is unknown.
type Dataset struct {
	Name      string
	File      string // argument of --datasets where that is not Name: the TOML file of a user's set
	Group     string // GroupMain, GroupApart or GroupGenerated
	Rows      int    // examples
	Features  int    // columns after encoding, without the label
	TrainRows int    // of one split
	TestRows  int    // of one split
	Grouped   bool   // the rows form groups, so that splits differ in their rows
	Draws     bool   // every split has the same training and test rows: splits are draws of the method

	listed bool // the set is in every table, even without stored cells
}

// Units returns how many independent units a split learns from and tests, for stats.CorrectedT. These are groups where
// the rows form groups, since the splits draw whole groups, and else rows: learned and tested are those of a test, and
// s is its score. A protocol with train_rows, or a point of a sweep, learns from fewer rows than are not tested, but
// how alike splits are depends on all rows that they divide.
func (d *Dataset) Units(learned, tested int, s *result.Score) (train, test int) {
	if s.TestGroups != nil {
		return int(*s.TrainGroups), int(*s.TestGroups)
	}
	return max(learned, d.Rows-d.TestRows), tested
}

// About is "about " for numbers of rows of a split that other splits of the set do not have.
func (d Dataset) About() string {
	if d.Grouped {
		return "about "
	}
	return ""
}

// Set is a data set with one cell a method.
type Set struct {
	Dataset
	Entries []Entry
	// Splits are the compared splits: those that most methods finished, of equal numbers the longer list.
	// They are all counted splits of cells with more.
	Splits  []int
	Missing bool // at least one cell has no finished split
	Unequal bool // whole methods finished different splits, so that their means are not comparable
	Counted bool // enters means over sets and average ranks
}

// Entry holds the runs of one method on one data set.
type Entry struct {
	Method string
	Runs   []Run // finished ones with a value, by split
	Beyond []Run // finished ones beyond the compared splits, which enter no mean of the table
	Has    bool  // the method finished the compared splits of the set
	stats.Spread
	SQL string // query that returns the runs
}

// Run is a finished run.
type Run struct {
	Split int
	Value *big.Rat // of the metric; times 100 where the metric is shown in percent
	Score *result.Score

	ScoresHash string // hash of the bits of its test scores, equal for equal fits; "" if unknown
}

// A Change is a data set whose runs in the table belong to other data than its file now: the file, or the way
// it is read, changed.
type Change struct {
	Dataset string
	File    string // names the data to people
	Was, Is string // fingerprints
	Command string // computes these runs again on today's data; "" if no command does
}

type cellKey struct{ dataset, method string }

type splitKey struct {
	cellKey
	split int
}

// usualMetric is the metric of a protocol that names none, as for the selection of grid points: accuracy for
// classes, and mse where all stored sets are of regression.
func (f Frame) usualMetric() string {
	classes := func(r store.Row) bool { return f.task(r.Dataset, r.Task) != registry.Regression }
	if len(f.Rows) == 0 || slices.ContainsFunc(f.Rows, classes) {
		return "accuracy"
	}
	return "mse"
}

// Table applies the rules of all reports for one metric, by its name; "" is the protocol's. It is a RequestError if no
// cell is left, and an error if the metric does not exist or stored cells contradict each other.
func (f Frame) Table(name string) (Table, error) {
	m, err := metric.Lookup(cmp.Or(name, f.Protocol.Metric, f.usualMetric()))
	if err != nil {
		return Table{}, err
	}
	t := Table{Metric: m, Protocol: cmp.Or(f.Protocol.Shown, f.Protocol.Name), Frame: &f,
		rows: map[cellKey][]store.Row{}}
	t.withMetric()
	t.consistent()
	t.withoutProbabilities()
	if len(t.taken) == 0 {
		return t, t.nothing()
	}
	var methods, environments []string
	for i, r := range t.taken { // which are sorted
		key := cellKey{r.Dataset, r.Method}
		first := i - len(t.rows[key])
		t.rows[key] = t.taken[first : i+1 : i+1]
		AppendUnique(&methods, r.Method)
		by := fmt.Sprintf("bench %s on %s", r.Environment.ProgramVersion, r.Environment.CPU)
		if Scored(r) {
			by = "another program (test scores that were imported)"
		}
		AppendUnique(&environments, by)
	}
	if t.Methods = f.Methods; t.Methods == nil {
		t.Methods = f.Protocol.Order(methods)
	}
	undeclared := func(m string) bool { return slices.Contains(t.undeclared, m) }
	t.Methods = slices.DeleteFunc(slices.Clone(t.Methods), undeclared)
	sort.Strings(environments)
	t.Own = slices.DeleteFunc(slices.Clone(t.Methods), func(m string) bool { return !f.own(m) })
	t.Provenance = t.provenance(environments)
	t.Splits = f.planned(t.taken)
	t.datasets = slices.DeleteFunc(t.datasets, func(d Dataset) bool { return !t.stored(d.Name) && !d.listed })
	if err := t.addSets(); err != nil {
		return t, err
	}
	t.other = t.say(remark)
	t.setCommands()
	t.dropSurplus()
	t.addTried()
	t.Warnings, t.taken = t.say(warned), nil
	return t, nil
}

// without are the rows that are not left out. Rows are large, so that all of them are not copied.
func without(rows []store.Row, out func(store.Row) bool) []store.Row {
	if !slices.ContainsFunc(rows, out) {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), out)
}

// Under is the table of the same request by another metric, or over some of its splits, nil for all. It lacks the other
// versions of methods.
func (t *Table) Under(metric string, splits []int) (Table, error) {
	f := *t.Frame
	if f.tried = nil; splits != nil {
		f.Splits = splits
		f.Rows = without(f.Rows, f.leavesOut)
	}
	return f.Table(metric)
}

// Stored is the table of all stored methods on the same sets and splits, where the request names some; else nil.
func (t *Table) Stored() (*Table, error) {
	if t.Frame == nil || t.Frame.Methods == nil {
		return nil, nil
	}
	f := *t.Frame
	f.Methods, f.Also, f.tried = nil, nil, nil
	f.Rows = without(f.stored, f.leavesOut)
	out, err := f.Table(t.Metric.Name)
	return &out, err
}

func (t *Table) stored(dataset string) bool {
	return slices.ContainsFunc(t.Methods, func(m string) bool { return t.rows[cellKey{dataset, m}] != nil })
}

// addSets fills Sets, Counted and Missing, and puts Methods in order.
func (t *Table) addSets() error {
	sets := t.datasets
	for i, d := range sets {
		for _, m := range t.Methods {
			for _, r := range t.rows[cellKey{d.Name, m}] {
				if r.Status == result.OK {
					sets[i].TrainRows, sets[i].TestRows = r.TrainRows, r.TestRows
					sets[i].Grouped = r.Score.TestGroups != nil
				}
			}
		}
	}
	for _, group := range []string{GroupMain, GroupApart, GroupGenerated} {
		for _, d := range sets {
			if d.Group != group {
				continue
			}
			if err := t.addSet(d); err != nil {
				return err
			}
		}
	}
	for i := range t.Sets {
		t.Missing = append(t.Missing, t.Sets[i].compareSplits()...)
	}
	t.count()
	for _, s := range t.Sets {
		changed := slices.ContainsFunc(t.Changed, func(c Change) bool { return c.Dataset == s.Name })
		for _, e := range s.Entries {
			if changed || !t.complete(e, t.Cells(s.Name, e.Method)) {
				t.Missing = append(t.Missing, t.lacks(s.Name, e.Method, changed)...)
			}
		}
	}
	return nil
}

func (t *Table) addSet(d Dataset) error {
	set := Set{Dataset: d}
	first := map[int]*store.Row{} // by split
	for _, m := range t.Methods {
		rows := t.rows[cellKey{d.Name, m}]
		for i := range rows {
			if err := checkRow(&rows[i], first); err != nil {
				return err
			}
		}
		set.Entries = append(set.Entries, t.newCell(d.Name, m, rows))
	}
	t.Sets = append(t.Sets, set)
	return nil
}

// checkRow compares the counts of a finished run with its rows, and with the first run of its split.
func checkRow(r *store.Row, first map[int]*store.Row) error {
	if r.Status != result.OK {
		return nil
	}
	where := fmt.Sprintf("run of %s on %s, split %d", r.Method, r.Dataset, r.Split)
	if c := r.Score.Correct; r.TestRows < 1 || c != nil && (*c < 0 || *c > r.TestRows) {
		return fmt.Errorf("%s: its counts are of no test of %d rows; check the database with `bench db check`", where,
			r.TestRows)
	}
	if other := first[r.Split]; other == nil {
		first[r.Split] = r
	} else if other.TestRows != r.TestRows {
		return fmt.Errorf("%s: %d test examples, but %s has %d; the two did not use the same split",
			where, r.TestRows, other.Method, other.TestRows)
	}
	return nil
}

// newCell collects the finished runs of a cell; rows are sorted by split.
func (t *Table) newCell(dataset, method string, rows []store.Row) Entry {
	c := Entry{Method: method, SQL: store.CellQuery(t.Frame.Protocol.Name, dataset, method)}
	if v, ok := t.Pinned(method); ok {
		c.SQL = store.VersionQuery(t.Frame.Protocol.Name, dataset, v)
	}
	for i := range rows {
		r := &rows[i]
		if v := t.Value(*r); v != nil {
			c.Runs = append(c.Runs, Run{r.Split, v, &r.Score, r.ScoresHash})
		}
	}
	c.summarise()
	return c
}

// At is the value of a split; nil without one.
func (c *Entry) At(split int) *big.Rat {
	for _, r := range c.Runs {
		if r.Split == split {
			return r.Value
		}
	}
	return nil
}

func (c *Entry) summarise() {
	c.Spread = stats.NewSpread(doc.Map(c.Runs, func(r Run) *big.Rat { return r.Value }))
}

var hundred = big.NewRat(100, 1)

// Value is the metric of a finished run, nil without any.
func (t *Table) Value(r store.Row) *big.Rat {
	if r.Status != result.OK {
		return nil
	}
	return t.ValueOf(r.Score)
}

// ValueOf is the metric of a score, times 100 where the metric is in percent; nil where the score has no
// value.
func (t *Table) ValueOf(s result.Score) *big.Rat {
	v := t.Metric.Of(s)
	if v != nil && t.Metric.Percent {
		v = new(big.Rat).Mul(v, hundred)
	}
	return v
}

// Cells returns the table's cells of a method on a set, by split, whatever their status.
func (t *Table) Cells(dataset, method string) []store.Row { return t.rows[cellKey{dataset, method}] }

// All goes over the table's cells, whatever their status, by set, method and split.
func (t *Table) All() iter.Seq[store.Row] {
	return func(yield func(store.Row) bool) {
		for _, s := range t.Sets {
			for _, m := range t.Methods {
				for _, r := range t.Cells(s.Name, m) {
					if !yield(r) {
						return
					}
				}
			}
		}
	}
}

// Processors lists the kinds of processors that computed finished cells, those of most cells first, of equals the
// first by name. Times of two kinds do not compare.
func (t *Table) Processors() []string {
	cells := map[string]int{}
	for r := range t.All() {
		if r.Status == result.OK && r.CPUSeconds != nil {
			cells[r.Environment.CPU]++
		}
	}
	return slices.SortedFunc(maps.Keys(cells), func(a, b string) int {
		return cmp.Or(cells[b]-cells[a], strings.Compare(a, b))
	})
}

// Splits returns the finished splits in increasing order.
func (c Entry) Splits() []int {
	return doc.Map(c.Runs, func(r Run) int { return r.Split })
}

// Finished returns the number of finished splits of the set's cells, the largest where they
// differ.
func (s Set) Finished() int {
	n := 0
	for _, c := range s.Entries {
		n = max(n, len(c.Runs))
	}
	return n
}

// Scored reports whether a cell has only test scores that were made elsewhere. Such a cell has no fit.
func Scored(r store.Row) bool {
	return r.Imported != "" && r.FitSeconds == nil && r.Status == result.OK
}

// provenance has the queries that return the table's numbers: of its methods and data sets if some were chosen.
func (t *Table) provenance(environments []string) doc.Provenance {
	f := t.Frame
	out := doc.Provenance{ProtocolHash: f.Protocol.Hash, Database: f.Path, Environment: environments,
		Why: f.Run.Why(t.Protocol, "DATASET", "METHOD")}
	var methods, datasets []string
	if f.Methods != nil || f.Exclude != nil {
		methods = t.Methods
	}
	if f.Datasets != nil || f.Exclude != nil {
		datasets = doc.Map(t.datasets, func(d Dataset) string { return d.Name })
	}
	for _, q := range store.TableQueries(f.Protocol.Name, methods, datasets) {
		out.Queries = append(out.Queries, doc.Query(q))
	}
	for _, m := range t.Methods {
		if v, ok := t.Pinned(m); ok {
			out.Queries = append(out.Queries, doc.Query{Title: "Cells of " + m,
				SQL: store.VersionQuery(f.Protocol.Name, "", v)})
		}
	}
	return out
}

package page

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// data is what the script reads. The fields of cells have short names in JSON, since they are repeated in each cell.
type data struct {
	Protocol string              `json:"protocol"`
	Metric   metricData          `json:"metric"`
	Methods  []methodData        `json:"methods"`
	Sets     []setData           `json:"sets"`
	Cells    map[string]cellData `json:"cells"` // cells with a stored run, by key
	Points   []string            `json:"points"`
	Times    []string            `json:"times"`
	Origins  []string            `json:"origins"` // programs, machines and data
	Errors   []string            `json:"errors"`
	// the protocol's source prints ranks in the paper's convention
	Paper    bool       `json:"paper,omitempty"`
	Groups   groupsData `json:"groups"`
	Commands commands   `json:"commands"`
}

type metricData struct {
	Title    string `json:"title"`
	Percent  bool   `json:"percent,omitempty"`
	Lower    bool   `json:"lower,omitempty"`  // the smaller value is the better one
	Counts   bool   `json:"counts,omitempty"` // a run has the number of correct rows instead of the value
	Decimals int    `json:"decimals"`
}

type methodData struct {
	Name  string `json:"name"`
	Link  string `json:"link"`
	Own   bool   `json:"own,omitempty"`   // of one's own, see frame.Table
	Shell string `json:"shell,omitempty"` // the name as a command takes it, if it differs from the shown name
	SQL   string `json:"sql,omitempty"`   // query for the cells of a requested version, which no command computes again
}

type setData struct {
	Name  string `json:"name"`
	Link  string `json:"link"`
	Shell string `json:"shell,omitempty"`
	Main  bool   `json:"main,omitempty"` // enters means and ranks
	Done  string `json:"d"`              // the compared splits, as in frame.Set.Splits
	Train int    `json:"train"`          // training rows of a split
	Test  int    `json:"test"`
}

type cellData struct {
	Place int    `json:"o"`           // see placesOf
	Done  string `json:"d"`           // the finished splits
	Mean  string `json:"m,omitempty"` // the exact fraction; "" without a finished split
	// The mean and the deviation as in the table, then the deviations with divisors n and n-1.
	Texts []string `json:"t,omitempty"`
	// A finished run is: split, correct rows or value, place in Points, place in Times, and the number of test rows if
	// it differs from that of the set. Any other run is: split, status, place in Errors. If every run is finished,
	// Columns has the values, and the places in Points and in Times, of splits 1, 2 and so on; one place is of all.
	Runs    [][]any  `json:"r,omitempty"`
	Columns [][]any  `json:"c,omitempty"`
	From    [][]any  `json:"f"` // splits, the version of the method, place in Origins
	Warn    []string `json:"w,omitempty"`
	Printed []string `json:"p,omitempty"` // a sentence on the published value
}

// commands are stored once for all cells. The script inserts the names of set and method.
type commands struct {
	Why    string `json:"why"`
	Verify string `json:"verify"`
	Splits string `json:"splits"`
	Tests  string `json:"tests"`
	SQL    string `json:"sql"`
}

// The script replaces these texts in commands. A shell needs no quotes around them.
const setPlaceholder, methodPlaceholder = "@SET@", "@METHOD@"

// A list holds each text once, so that cells refer to texts by number.
type list struct {
	texts []string
	place map[string]int
}

// at returns the number of a text, which it appends if the list does not have it.
func (l *list) at(text string) int {
	i, ok := l.place[text]
	if !ok {
		if l.place == nil {
			l.place = map[string]int{}
		}
		i = len(l.texts)
		l.place[text], l.texts = i, append(l.texts, doc.Flat(text))
	}
	return i
}

// addData sets p.data, without its links, and p.Diagrams. dataFor sets the links, which depend on the file.
func (p *Page) addData(o Options) error {
	t := p.table
	tests := []string{"report", "tests", "--methods", methodPlaceholder, "--datasets", setPlaceholder}
	if o.Metric != "" {
		tests = append(tests, "--metric", o.Metric)
	}
	groups, err := p.newGroups(o)
	if err != nil {
		return err
	}
	d := data{Protocol: t.Protocol, Paper: t.PrintsRanks(t.Methods), Cells: map[string]cellData{}, Groups: groups,
		Metric: metricData{Title: t.Metric.Title, Percent: t.Metric.Percent, Lower: t.Metric.Better == metric.Lower,
			Counts: counted(t.Metric), Decimals: p.decimals()},
		Commands: commands{
			Why: p.table.Frame.Run.Why(t.Protocol, setPlaceholder, methodPlaceholder),
			Verify: p.table.Frame.Run.Other("verify", "--sample", "100%", "--methods", methodPlaceholder, "--datasets",
				setPlaceholder),
			Splits: p.table.Frame.Run.Other("data", "splits", setPlaceholder, "--seed", "1", "--format", "json"),
			Tests:  p.table.Frame.Run.Other(tests...),
			SQL:    store.CellQuery(t.Frame.Protocol.Name, setPlaceholder, methodPlaceholder),
		}}
	for _, m := range t.Methods {
		md := methodData{Name: doc.OneLine(m), Shell: shell(m, m), Own: slices.Contains(t.Own, m)}
		if v, ok := t.Pinned(m); ok {
			md.SQL = store.VersionQuery(t.Frame.Protocol.Name, setPlaceholder, v)
		}
		d.Methods = append(d.Methods, md)
	}
	var points, times, origins, errors list
	for s, set := range t.Sets {
		name := set.Name
		if set.File != "" {
			name = set.File
		}
		d.Sets = append(d.Sets, setData{Name: doc.OneLine(set.Name), Shell: shell(name, set.Name),
			Main: set.Group == frame.GroupMain, Done: frame.Ranges(set.Splits), Train: set.TrainRows,
			Test: set.TestRows})
		places := placesOf(&t, set)
		for m, e := range set.Entries {
			rows := t.Cells(set.Name, e.Method)
			if len(rows) == 0 {
				continue
			}
			cell := p.cellData(set, e, rows, places[m], &origins)
			for _, r := range rows {
				cell.Runs = append(cell.Runs, p.runData(r, set, &points, &times, &errors))
			}
			cell.shorten()
			d.Cells[key(s, m)] = cell
		}
	}
	d.Points, d.Times, d.Origins, d.Errors = points.texts, times.texts, origins.texts, errors.texts
	p.data = d
	return nil
}

// cellData returns the data of a cell from its rows, without its runs.
func (p *Page) cellData(set frame.Set, e frame.Entry, rows []store.Row, place int, origins *list) cellData {
	cell := cellData{Place: place, Done: frame.Ranges(e.Splits()), Printed: p.Printed.sentences(set.Name, e.Method)}
	if e.Mean != nil {
		cell.Mean = fraction(e.Mean)
		cell.Texts = []string{frame.Text(e.Mean, p.decimals()), p.deviation(e),
			frame.Number(e.StdPop, 6), frame.Number(e.StdSample, 6)}
	}
	var warned frame.Groups[string, int]
	times := map[string]int{}
	for _, r := range rows {
		for _, w := range r.Warnings {
			warned.Add(w.Text, r.Split)
			times[w.Text] += w.Times
		}
	}
	for _, text := range warned.Keys {
		cell.Warn = append(cell.Warn, doc.Flat(fmt.Sprintf("on splits %s, %s: %s", frame.Ranges(warned.Of[text]),
			frame.Count(times[text], "time"), text)))
	}
	cell.From = originsOf(rows, origins)
	return cell
}

// shorten moves Runs to Columns, if it may.
func (c *cellData) shorten() {
	columns := make([][]any, 3)
	for i, run := range c.Runs {
		if len(run) != 4 || run[0] != i+1 {
			return
		}
		for k := range columns {
			columns[k] = append(columns[k], run[k+1])
		}
	}
	for k, of := range columns[1:] {
		if !slices.ContainsFunc(of, func(v any) bool { return v != of[0] }) {
			columns[k+1] = of[:1]
		}
	}
	c.Runs, c.Columns = nil, columns
}

// key is the key of a cell in data.Cells: the numbers of its set and its method, such as "3,5".
func key(set, method int) string { return strconv.Itoa(set) + "," + strconv.Itoa(method) }

// shell quotes a name for a command. It returns "" if the result is the text that the page shows for the name.
func shell(name, shown string) string {
	if quoted := frame.CommandLine(name); quoted != doc.OneLine(shown) {
		return quoted
	}
	return ""
}

func counted(m metric.Metric) bool { return m.Name == "accuracy" }

func (p *Page) decimals() int { return p.table.Decimals() - 1 }

// deviation is the deviation of a cell's splits as in the table; "" of a single split, which has none.
func (p *Page) deviation(e frame.Entry) string {
	if len(e.Runs) < 2 {
		return ""
	}
	return frame.Number(e.StdPop, p.decimals())
}

// placesOf returns the place of each method's mean in the order of the means on a set. The worst mean has place 1, and
// equal means have the same place. A method without a mean has place 0.
func placesOf(t *frame.Table, set frame.Set) []int {
	places := make([]int, len(set.Entries))
	var have []*big.Rat
	for _, e := range set.Entries {
		if e.Mean != nil {
			have = append(have, e.Mean)
		}
	}
	have = slices.CompactFunc(slices.SortedFunc(slices.Values(have), t.Metric.Compare),
		func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	for i, e := range set.Entries {
		if e.Mean != nil {
			places[i] = 1 + slices.IndexFunc(have, func(v *big.Rat) bool { return v.Cmp(e.Mean) == 0 })
		}
	}
	return places
}

// runData returns one element of cellData.Runs.
func (p *Page) runData(r store.Row, set frame.Set, points, times, errors *list) []any {
	value := p.table.ValueOf(r.Score)
	if r.Status != result.OK || value == nil {
		return []any{r.Split, string(r.Status), errors.at(r.Error)}
	}
	out := []any{r.Split, nil, nil, nil}
	if out[1] = any(value.FloatString(p.decimals() + 2)); counted(p.table.Metric) {
		out[1] = *r.Score.Correct
	}
	if point := p.table.Frame.Chosen(r); point != nil {
		out[2] = points.at(frame.PointText(point))
	}
	if r.CPUSeconds != nil {
		out[3] = times.at(wording.Seconds(*r.CPUSeconds))
	}
	if r.Score.N != set.TestRows {
		out = append(out, r.Score.N)
	}
	return out
}

// originsOf returns cellData.From: for each origin the splits whose runs come from it, and its place in the list.
func originsOf(rows []store.Row, origins *list) [][]any {
	type from struct {
		version string
		at      int
	}
	var splits frame.Groups[from, int]
	for _, r := range rows {
		version, program, data := origin(r)
		splits.Add(from{version, origins.at(strings.TrimPrefix(program+", "+data, ", "))}, r.Split)
	}
	var out [][]any
	for _, f := range splits.Keys {
		slices.Sort(splits.Of[f])
		out = append(out, []any{frame.Ranges(splits.Of[f]), f.version, f.at})
	}
	return out
}

// origin names the version of the method, the program and the machine, and then the data, the date and the imported
// file. The program of results of others may be unknown.
func origin(r store.Row) (version, program, data string) {
	version = fmt.Sprintf("%s version %s", r.Method, r.MethodVersion)
	if e := r.Environment; e != nil {
		program = fmt.Sprintf("bench %s on %s", e.ProgramVersion, e.CPU)
	}
	data = fmt.Sprintf("data %.8s", r.Fingerprint)
	if len(r.StartedAt) >= 10 {
		data += ", " + r.StartedAt[:10]
	}
	if r.Imported != "" {
		data += ", imported from " + r.Imported
	}
	return version, program, data
}

// seconds writes the mean processor time of a cell's finished runs, or "-" if it is not known.
func seconds(rows []store.Row) string {
	sum, n := 0.0, 0
	for _, r := range rows {
		if r.CPUSeconds != nil && r.Status == result.OK {
			sum, n = sum+*r.CPUSeconds, n+1
		}
	}
	if n == 0 {
		return frame.Absent
	}
	return wording.Seconds(sum / float64(n))
}

// midRanks ranks the whole methods on a set by their means; rank 1 is the best. It returns "-" for partial methods, and
// for all methods if their means are not comparable.
func midRanks(t *frame.Table, set frame.Set) []string {
	out := make([]string, len(set.Entries))
	var at []int
	for i, e := range set.Entries {
		if out[i] = frame.Absent; e.Mean != nil && i < len(t.Whole()) {
			at = append(at, i)
		}
	}
	if set.Unequal {
		return out
	}
	means := t.Ascending(doc.Map(at, func(i int) *big.Rat { return set.Entries[i].Mean }))
	for k, rank := range stats.MidRanks(means) {
		out[at[k]] = strings.TrimSuffix(rank.FloatString(1), ".0")
	}
	return out
}

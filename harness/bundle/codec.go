package bundle

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/result"
)

// A codec writes a body, or reads one. Each of its methods does both: it writes the value that its argument points to, or
// sets that value. After an error a codec writes nothing more and reads zeros, and err holds the first error.
type codec struct {
	writes bool
	bytes  []byte // what was written, or what is still to be read
	err    error

	// These are what cells share.
	texts        []string
	environments []result.Environment
	protocols    []protocol
	grids        []grid
	places       map[[2]string]int // in these lists, by kind and name
}

// A protocol is one that is a user's own.
type protocol struct {
	name, hash, text string
	splits           int
}

type grid struct {
	hash            string
	points, written []json.RawMessage // written is nil where it is not kept
}

func (c *codec) fail(format string, args ...any) {
	switch {
	case c.err != nil:
	case c.writes:
		c.err = fmt.Errorf(format, args...)
	default:
		c.err, c.bytes = damaged(format, args...), nil
	}
}

// number is an unsigned number; a number of more than limit is not read.
func (c *codec) number(v *int, limit int) {
	if c.writes {
		c.bytes = binary.AppendUvarint(c.bytes, uint64(*v))
		return
	}
	u, n := binary.Uvarint(c.bytes)
	if n <= 0 || u > uint64(limit) {
		c.fail("a number is missing or larger than %d", limit)
		u, n = 0, 0
	}
	*v, c.bytes = int(u), c.bytes[n:]
}

// length is the number of things that follow. Each of these things takes a byte at least.
func (c *codec) length(n int) int {
	c.number(&n, len(c.bytes))
	return n
}

// list is the length of a list and its items.
func list[T any](c *codec, items *[]T, item func(*T)) {
	n := c.length(len(*items))
	for i := 0; i < n && c.err == nil; i++ {
		if !c.writes {
			*items = append(*items, *new(T))
		}
		item(&(*items)[i])
	}
}

func (c *codec) flag(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	c.number(&n, 1)
	*v = n == 1
}

func (c *codec) signed(v *int64) {
	if c.writes {
		c.bytes = binary.AppendVarint(c.bytes, *v)
		return
	}
	s, n := binary.Varint(c.bytes)
	if n <= 0 {
		c.fail("a number is missing")
		s, n = 0, 0
	}
	*v, c.bytes = s, c.bytes[n:]
}

// maybe is a real that may be absent.
func (c *codec) maybe(v **float64) {
	if c.writes {
		bits := math.Float64bits(math.NaN())
		if *v != nil {
			bits = math.Float64bits(**v)
		}
		c.bytes = binary.LittleEndian.AppendUint64(c.bytes, bits)
		return
	}
	*v = nil
	if len(c.bytes) < 8 {
		c.fail("a number is missing")
		return
	}
	if r := math.Float64frombits(binary.LittleEndian.Uint64(c.bytes)); !math.IsNaN(r) {
		*v = &r
	}
	c.bytes = c.bytes[8:]
}

// maybeAmount is a finite real of at least 0 that may be absent.
func (c *codec) maybeAmount(v **float64) {
	if c.maybe(v); !c.writes && *v != nil && !(**v >= 0 && **v <= math.MaxFloat64) {
		c.fail("an amount is %v", **v)
	}
}

func (c *codec) amount(v *float64) {
	p := v
	if c.maybeAmount(&p); p == nil {
		c.fail("an amount is missing")
		return
	}
	*v = *p
}

func (c *codec) maybeSize(v **int64) {
	n := 0
	if *v != nil {
		n = int(**v) + 1
	}
	if c.number(&n, math.MaxInt); n > 0 {
		*v = ptr(int64(n - 1))
	}
}

func (c *codec) string(v *string) {
	n := c.length(len(*v))
	if c.writes {
		c.bytes = append(c.bytes, *v...)
		return
	}
	n = min(n, len(c.bytes))
	*v, c.bytes = string(c.bytes[:n]), c.bytes[n:]
}

// json is a text that is empty or JSON.
func (c *codec) json(v *json.RawMessage) {
	s := string(*v)
	if c.string(&s); s != "" && !json.Valid([]byte(s)) {
		c.fail("a grid point or an environment is no JSON")
	}
	*v = json.RawMessage(s)
}

// text is the number of a text.
func (c *codec) text(v *string) {
	i, fresh := 0, false
	if c.writes {
		if i, fresh = c.place("text", *v, len(c.texts)); fresh {
			c.texts = append(c.texts, *v)
		}
	}
	if c.number(&i, most); i >= len(c.texts) {
		c.fail("a text is missing")
		return
	}
	*v = c.texts[i]
}

// place returns the place of something that cells share. Something fresh gets the place next.
func (c *codec) place(kind, name string, next int) (at int, fresh bool) {
	if c.places == nil {
		c.places = map[[2]string]int{}
	}
	at, there := c.places[[2]string{kind, name}]
	if !there {
		at = next
		c.places[[2]string{kind, name}] = at
	}
	return at, !there
}

func (p protocol) key() string { return p.hash + p.name }

// head is what cells share.
func (c *codec) head() {
	list(c, &c.texts, c.string)
	list(c, &c.environments, func(e *result.Environment) {
		raw, err := json.Marshal(e)
		if c.json((*json.RawMessage)(&raw)); err == nil && !c.writes {
			err = json.Unmarshal(raw, e)
		}
		if err != nil {
			c.fail("an environment is no JSON")
		}
	})
	list(c, &c.protocols, func(p *protocol) {
		for _, s := range []*string{&p.name, &p.hash, &p.text} {
			c.string(s)
		}
		if c.number(&p.splits, most); !c.writes {
			if _, fresh := c.place("protocol", p.key(), len(c.protocols)-1); !fresh {
				c.fail("protocol %s stands twice", p.name)
			}
		}
	})
	list(c, &c.grids, c.grid)
}

func (c *codec) grid(g *grid) {
	type point struct{ params, written json.RawMessage }
	var points []point
	complete := true
	for i, p := range g.points {
		points = append(points, point{params: p})
		if g.written != nil {
			points[i].written = g.written[i]
		}
	}
	c.string(&g.hash)
	list(c, &points, func(p *point) {
		c.json(&p.params)
		c.json(&p.written)
		if len(p.params) == 0 || len(points) > maxPoints {
			c.fail("a grid point is empty, or there are too many")
		}
		complete = complete && len(p.written) > 0
	})
	if c.writes {
		return
	}
	if _, fresh := c.place("grid", g.hash, len(c.grids)-1); !fresh {
		c.fail("a grid stands twice")
	}
	for _, p := range points {
		if g.points = append(g.points, p.params); complete {
			g.written = append(g.written, p.written)
		}
	}
}

// ends maps the number in the file to how a cell ended.
var ends = []result.Status{result.OK, result.Failed, result.Timeout}

func (c *codec) cell(r *result.Run) {
	if c.writes {
		c.share(r)
	}
	if c.err != nil {
		return
	}
	for _, t := range []*string{&r.Protocol, &r.ProtocolHash, &r.Dataset, &r.Fingerprint, &r.Method, &r.MethodVersion, &r.GridHash, &r.Task, &r.StartedAt, &r.Code, &r.ScoresHash} {
		c.text(t)
	}
	if _, err := time.Parse(time.RFC3339Nano, r.StartedAt); err != nil {
		c.fail("%q is no time", r.StartedAt)
	}
	c.shared(r)
	if r.Status != result.OK {
		for _, t := range []*string{&r.Key, &r.Error, (*string)(&r.Class), &r.Stderr} {
			c.text(t)
		}
		c.number(&r.TestRows, most)
		c.flag(&r.Isolated)
		c.amount(&r.SearchSeconds)
		c.maybeAmount(&r.CPUSeconds)
		c.maybeSize(&r.PeakRSSBytes)
		c.maybeAmount(&r.TimeoutSeconds)
		c.amount(&r.CostUnits)
		return
	}
	c.score(r.Task, &r.Score)
	r.TestRows = r.Score.N
	c.amount(&r.SearchSeconds)
	for _, v := range []**float64{&r.FitSeconds, &r.PredictSeconds, &r.CPUSeconds} {
		c.maybeAmount(v)
	}
	c.maybeSize(&r.PeakRSSBytes)
	c.maybeSize(&r.ModelBytes)
	c.maybeAmount(&r.TimeoutSeconds)
	c.amount(&r.CostUnits)
	list(c, &r.Stages, func(s *result.Stage) {
		c.number(&s.Round, most)
		c.score(r.Task, &s.Score)
	})
	list(c, &r.Warnings, func(w *result.Warning) {
		c.text(&w.Text)
		c.number(&w.Times, most)
	})
	c.search(r)
	list(c, &r.SeedTests, func(t *result.SeedTest) {
		seed := int(t.Seed)
		c.number(&seed, math.MaxUint32)
		t.Seed = uint32(seed)
		c.text(&t.ScoresHash)
		c.score(r.Task, &t.Score)
	})
	t := &r.Score
	for _, v := range []**float64{&t.LogLoss, &t.Brier, &t.ECE} {
		c.maybeAmount(v)
	}
	if !c.writes && c.err == nil {
		c.check(r.Task, []result.Score{*t})
	}
}

// share puts what a cell shares with others into the lists, before the cell is written.
func (c *codec) share(r *result.Run) {
	if r.Environment == nil || r.GridWritten != nil && len(r.GridWritten) != len(r.Grid) || r.Status == result.OK && r.Selected == nil {
		c.fail("a result without its choice, its environment or its whole grid is not written")
		return
	}
	if !slices.Contains(c.environments, *r.Environment) {
		c.environments = append(c.environments, *r.Environment)
	}
	if p := (protocol{r.Protocol, r.ProtocolHash, r.ProtocolText, r.ProtocolSplits}); p.text != "" {
		if _, fresh := c.place("protocol", p.key(), len(c.protocols)); fresh {
			c.protocols = append(c.protocols, p)
		}
	}
	if _, fresh := c.place("grid", r.GridHash, len(c.grids)); fresh {
		c.grids = append(c.grids, grid{r.GridHash, r.Grid, r.GridWritten})
	}
}

// shared is where a cell was computed and how it ended. Reading adds the cell's protocol and grid.
func (c *codec) shared(r *result.Run) {
	environment, end := 0, 0
	if c.writes {
		environment, end = slices.Index(c.environments, *r.Environment), slices.Index(ends, r.Status)
	}
	if c.number(&environment, most); environment >= len(c.environments) || end < 0 {
		c.fail("an environment is missing, or a cell ended %q", r.Status)
		return
	}
	for _, n := range []*int{&r.Split, &r.TrainRows, &r.Features} {
		c.number(n, most)
	}
	if c.number(&end, len(ends)-1); c.writes {
		return
	}
	r.Environment, r.Status = &c.environments[environment], ends[end]
	if at, own := c.places[[2]string{"protocol", protocol{name: r.Protocol, hash: r.ProtocolHash}.key()}]; own {
		r.ProtocolText, r.ProtocolSplits = c.protocols[at].text, c.protocols[at].splits
	}
	at, there := c.places[[2]string{"grid", r.GridHash}]
	if !there {
		c.fail("a grid is missing")
		return
	}
	r.Grid, r.GridWritten = c.grids[at].points, c.grids[at].written
}

// search is the choice of a grid point, the folds and the tests of the grid.
func (c *codec) search(r *result.Run) {
	var folds [][]result.Score
	selected, points, tested := 0, len(r.Grid), len(r.GridTests) > 0
	if c.writes {
		selected, folds = *r.Selected, c.byFold(r)
	}
	c.number(&selected, most)
	if c.number(&points, len(r.Grid)); points != len(r.Grid) || selected >= points {
		c.fail("point %d of %d is selected, and the grid has %d", selected, points, len(r.Grid))
		return
	}
	list(c, &folds, func(column *[]result.Score) { c.column(r.Task, column, points) })
	if c.flag(&tested); tested {
		c.column(r.Task, &r.GridTests, points)
	}
	if c.writes {
		return
	}
	r.Selected = &selected
	for f, column := range folds {
		for g, s := range column {
			r.Folds = append(r.Folds, result.Evaluation{GridIndex: g, Fold: f, Score: s, FitSeconds: r.SearchSeconds / float64(len(folds)*points)})
		}
	}
}

// byFold returns the scores of every fold in grid order. Each grid point must have each fold once.
func (c *codec) byFold(r *result.Run) [][]result.Score {
	points := len(r.Grid)
	if points == 0 || len(r.Folds)%points != 0 {
		c.fail("%d evaluations of %d grid points", len(r.Folds), points)
		return nil
	}
	folds := make([][]result.Score, len(r.Folds)/points)
	seen := map[[2]int]bool{}
	for f := range folds {
		folds[f] = make([]result.Score, points)
	}
	for _, e := range r.Folds {
		at := [2]int{e.GridIndex, e.Fold}
		if e.GridIndex < 0 || e.GridIndex >= points || e.Fold < 0 || e.Fold >= len(folds) || seen[at] {
			c.fail("fold %d of grid point %d is there twice or out of range", e.Fold, e.GridIndex)
			return nil
		}
		seen[at] = true
		folds[e.Fold][e.GridIndex] = e.Score
	}
	return folds
}

func (c *codec) score(task string, s *result.Score) {
	column := []result.Score{*s}
	c.column(task, &column, 1)
	*s = column[0]
}

// column is a column of scores, one score a grid point.
func (c *codec) column(task string, column *[]result.Score, points int) {
	if !c.writes {
		*column = make([]result.Score, points)
	} else if c.check(task, *column); len(*column) != points {
		c.fail("%d of %d grid points are tested", len(*column), points)
	}
	for _, n := range numbers(task) {
		before := int64(0)
		for i := range *column {
			s := &(*column)[i]
			switch {
			case c.err != nil:
				return
			case n.real != nil:
				c.maybe(n.real(s))
				continue
			}
			step := int64(0)
			if c.writes {
				step = n.get(*s) - before
			}
			c.signed(&step)
			if before += step; before < 0 {
				c.fail("a count is %d", before)
			} else if !c.writes {
				n.set(s, before)
			}
		}
	}
	if !c.writes {
		c.check(task, *column)
	}
}

func (c *codec) check(task string, column []result.Score) {
	for _, s := range column {
		if err := s.Check(task); err != nil {
			c.fail("%v", err)
		}
	}
}

package bundle

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/kernelboosting/bench/harness/result"
)

// A decoder reads a body. After an error it returns zeros, and err holds the first error.
type decoder struct {
	format       int // the version of the format
	left         []byte
	err          error
	texts        []string
	environments []*result.Environment
	protocols    map[[2]string]ownProtocol // by name and hash
	grids        map[string]grid           // by hash
}

type ownProtocol struct {
	text   string
	splits int
}

type grid struct{ points, written []json.RawMessage }

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = damaged(format, args...)
	}
	d.left = nil
}

// number reads an unsigned number of at most limit.
func (d *decoder) number(limit int) int {
	v, n := binary.Uvarint(d.left)
	if n <= 0 || v > uint64(limit) {
		d.fail("a number is missing or larger than %d", limit)
		return 0
	}
	d.left = d.left[n:]
	return int(v)
}

// length reads the number of things that follow. Each of these things takes a byte at least.
func (d *decoder) length() int { return d.number(len(d.left)) }

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.left)
	if n <= 0 {
		d.fail("a number is missing")
		return 0
	}
	d.left = d.left[n:]
	return v
}

func (d *decoder) real() float64 {
	if len(d.left) < 8 {
		d.fail("a number is missing")
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(d.left))
	d.left = d.left[8:]
	return v
}

// maybe reads a real that may be absent.
func (d *decoder) maybe() *float64 {
	v := d.real()
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// amount reads a finite real of at least 0.
func (d *decoder) amount() float64 {
	v := d.real()
	if !(v >= 0 && v <= math.MaxFloat64) {
		d.fail("an amount is %v", v)
		return 0
	}
	return v
}

// maybeAmount reads an amount that may be absent.
func (d *decoder) maybeAmount() *float64 {
	v := d.maybe()
	if v != nil && !(*v >= 0 && *v <= math.MaxFloat64) {
		d.fail("an amount is %v", *v)
		return nil
	}
	return v
}

func (d *decoder) maybeSize() *int64 {
	v := d.number(math.MaxInt)
	if v == 0 {
		return nil
	}
	size := int64(v - 1)
	return &size
}

func (d *decoder) string() string {
	n := d.length()
	s := string(d.left[:min(n, len(d.left))])
	d.left = d.left[len(s):]
	return s
}

func (d *decoder) text() string {
	if i := d.number(most); i < len(d.texts) {
		return d.texts[i]
	}
	d.fail("a text is missing")
	return ""
}

// Read returns the results of a file, each with its grid. If a protocol is a user's own, the results have its text, too.
func Read(file []byte) ([]result.Run, error) {
	packed, format, err := opened(file)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), MaxBody+1))
	if err != nil {
		return nil, damaged("%v", err)
	}
	if len(body) > MaxBody {
		return nil, fmt.Errorf("it unfolds to more than %d bytes", MaxBody)
	}
	return decode(body, format)
}

func decode(body []byte, format int) ([]result.Run, error) {
	d := &decoder{left: body, format: format}
	d.head()
	var out []result.Run
	for count := d.length(); len(out) < count && d.err == nil; {
		out = append(out, d.cell())
	}
	if d.err == nil && len(d.left) > 0 {
		d.fail("%d bytes follow its end", len(d.left))
	}
	if d.err != nil {
		return nil, d.err
	}
	return out, nil
}

func (d *decoder) head() {
	for n := d.length(); len(d.texts) < n && d.err == nil; {
		d.texts = append(d.texts, d.string())
	}
	for n := d.length(); len(d.environments) < n && d.err == nil; {
		e := new(result.Environment)
		if err := json.Unmarshal([]byte(d.string()), e); err != nil {
			d.fail("an environment is no JSON")
		}
		d.environments = append(d.environments, e)
	}
	if d.format == earlier {
		return
	}
	d.protocols, d.grids = map[[2]string]ownProtocol{}, map[string]grid{}
	for n := d.length(); len(d.protocols) < n && d.err == nil; {
		at := [2]string{d.string(), d.string()}
		if _, twice := d.protocols[at]; twice {
			d.fail("protocol %s stands twice", at[0])
		}
		d.protocols[at] = ownProtocol{d.string(), d.number(most)}
	}
	for n := d.length(); len(d.grids) < n && d.err == nil; {
		hash := d.string()
		if _, twice := d.grids[hash]; twice {
			d.fail("a grid stands twice")
		}
		d.grids[hash] = d.grid()
	}
}

func (d *decoder) grid() grid {
	var g grid
	complete := true
	for n := d.number(min(maxPoints, len(d.left))); len(g.points) < n && d.err == nil; {
		point, written := d.string(), d.string()
		if !json.Valid([]byte(point)) || written != "" && !json.Valid([]byte(written)) {
			d.fail("a grid point is no JSON")
		}
		complete = complete && written != ""
		g.points, g.written = append(g.points, json.RawMessage(point)), append(g.written, json.RawMessage(written))
	}
	if !complete {
		g.written = nil
	}
	return g
}

func (d *decoder) cell() result.Run {
	var r result.Run
	for _, into := range []*string{&r.Protocol, &r.ProtocolHash, &r.Dataset, &r.Fingerprint, &r.Method, &r.MethodVersion, &r.GridHash, &r.Task, &r.StartedAt, &r.Code, &r.ScoresHash} {
		*into = d.text()
	}
	if _, err := time.Parse(time.RFC3339Nano, r.StartedAt); err != nil {
		d.fail("%q is no time", r.StartedAt)
	}
	if i := d.number(most); i < len(d.environments) {
		r.Environment = d.environments[i]
	} else {
		d.fail("an environment is missing")
	}
	for _, into := range []*int{&r.Split, &r.TrainRows, &r.Features} {
		*into = d.number(most)
	}
	own, g := d.protocols[[2]string{r.Protocol, r.ProtocolHash}], d.grids[r.GridHash]
	r.ProtocolText, r.ProtocolSplits, r.Grid, r.GridWritten = own.text, own.splits, g.points, g.written
	if r.Status = result.OK; d.format != earlier {
		r.Status = ends[d.number(len(ends)-1)]
	}
	if r.Status != result.OK {
		d.failure(&r)
		return r
	}
	r.Test = d.score(r.Task)
	r.TestRows = r.Test.N
	r.SearchSeconds = d.amount()
	for _, into := range []**float64{&r.FitSeconds, &r.PredictSeconds, &r.CPUSeconds} {
		*into = d.maybeAmount()
	}
	r.PeakRSSBytes, r.ModelBytes, r.TimeoutSeconds, r.CostUnits = d.maybeSize(), d.maybeSize(), d.maybeAmount(), d.amount()
	for n := d.length(); len(r.Stages) < n && d.err == nil; {
		r.Stages = append(r.Stages, result.Stage{Round: d.number(most), Score: d.score(r.Task)})
	}
	for n := d.length(); len(r.Warnings) < n && d.err == nil; {
		r.Warnings = append(r.Warnings, result.Warning{Text: d.text(), Times: d.number(most)})
	}
	selected := d.number(most)
	r.Selected = &selected
	limit := len(r.Grid)
	if d.format == earlier {
		limit = maxPoints
	}
	points, folds := d.number(limit), d.length()
	if d.format == earlier {
		r.Grid = make([]json.RawMessage, points)
	}
	if points != len(r.Grid) {
		d.fail("a cell has %d of %d grid points", points, len(r.Grid))
		return r
	}
	if selected >= points {
		d.fail("point %d of %d is selected", selected, points)
	}
	for f := 0; f < folds && d.err == nil; f++ {
		for g, s := range d.scores(r.Task, points) {
			r.Evaluations = append(r.Evaluations, result.Evaluation{GridIndex: g, Fold: f, Score: s})
		}
	}
	if d.number(1) == 1 {
		r.GridTests = d.scores(r.Task, points)
	}
	for n := d.length(); len(r.SeedTests) < n && d.err == nil; {
		r.SeedTests = append(r.SeedTests, result.SeedTest{Seed: uint32(d.number(math.MaxUint32)), ScoresHash: d.text(), Score: d.score(r.Task)})
	}
	r.Test.LogLoss, r.Test.Brier, r.Test.ECE = d.maybeAmount(), d.maybeAmount(), d.maybeAmount()
	if t := r.Test; (t.LogLoss == nil) != (t.Brier == nil) || (t.LogLoss == nil) != (t.ECE == nil) || t.LogLoss != nil && (r.Task != taskBinary || *t.Brier > 1 || *t.ECE > 1.000001) {
		d.fail("logloss, brier and ece of a test disagree")
	}
	if d.err != nil {
		return r
	}
	for i := range r.Evaluations {
		r.Evaluations[i].FitSeconds = r.SearchSeconds / float64(len(r.Evaluations))
	}
	return r
}

// failure reads what is kept of a cell that failed.
func (d *decoder) failure(r *result.Run) {
	r.Key, r.Error, r.Class, r.Stderr = d.text(), d.text(), result.Class(d.text()), d.text()
	r.TestRows, r.Isolated = d.number(most), d.number(1) == 1
	r.SearchSeconds, r.CPUSeconds, r.PeakRSSBytes, r.TimeoutSeconds, r.CostUnits = d.amount(), d.maybeAmount(), d.maybeSize(), d.maybeAmount(), d.amount()
}

func (d *decoder) score(task string) result.Score {
	column := d.scores(task, 1)
	if column == nil {
		return result.Score{}
	}
	return column[0]
}

// scores reads a column of scores, nil after an error.
func (d *decoder) scores(task string, points int) []result.Score {
	out := make([]result.Score, points)
	for _, n := range numbers(task) {
		before := int64(0)
		for i := range out {
			if n.real != nil {
				*n.real(&out[i]) = d.maybe()
				continue
			}
			before += d.signed()
			if before < 0 {
				d.fail("a count is %d", before)
			}
			if d.err != nil {
				return nil
			}
			n.set(&out[i], before)
		}
	}
	for _, s := range out {
		if err := check(task, s); err != nil && d.err == nil {
			d.fail("%v", err)
		}
	}
	if d.err != nil {
		return nil
	}
	return out
}

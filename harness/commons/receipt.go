package commons

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/files"
)

// ReceiptFormat is the version of the form of a receipt.
const ReceiptFormat = "bench-receipt/1"

// MostReceipt is the size of a receipt's file, in bytes.
const MostReceipt = 8 << 20

// A Level says how much of an entry somebody else computed again.
type Level string

// These are the levels, from the weakest on.
const (
	Reported  Level = "reported"
	SomeAgain Level = "share computed again"
	AllAgain  Level = "all computed again"
	Elsewhere Level = "again on another kind of machine"
)

// Levels are all levels, from the weakest on.
func Levels() []Level { return []Level{Reported, SomeAgain, AllAgain, Elsewhere} }

// Means says what a level means.
func (l Level) Means() string {
	return map[Level]string{
		Reported:  "nobody but the entrant computed these results",
		SomeAgain: "the commons drew cells by a seed that nobody knew before, and found the same counts",
		AllAgain:  "all counts are the commons' own",
		Elsewhere: "all counts are the commons' own, and its processor is another one than the entrant's",
	}[l]
}

// A Receipt says which results of an entry stand, which of them were computed again, and where.
//
// The results are bound by a hash tree, that of RFC 6962. Its leaves are the cells, sorted by data set and split.
type Receipt struct {
	Format        string  `json:"format"`
	Entry         string  `json:"entry"` // the folder's name
	EntryHash     string  `json:"entry_hash"`
	Method        string  `json:"method"`
	MethodVersion string  `json:"method_version"`
	Protocol      string  `json:"protocol"`
	ProtocolHash  string  `json:"protocol_hash"`
	Level         Level   `json:"level"`
	Caught        float64 `json:"caught"` // the probability with which a forger who gains Gain is caught
	Gain          float64 `json:"gain"`   // in percentage points of the mean of all cells
	Floor         string  `json:"floor"`  // what Caught assumes
	Seed          string  `json:"seed"`   // that drew the cells
	Deterministic bool    `json:"deterministic"`
	Program       string  `json:"program"` // the version of the bench that computed cells again
	ProgramSHA256 string  `json:"program_sha256"`
	Processor     string  `json:"processor"`
	System        string  `json:"system"`
	Date          string  `json:"date"` // UTC, RFC 3339
	Root          string  `json:"root"` // of the hash tree
	Cells         []Cell  `json:"cells"`
}

// A Cell is a leaf of a receipt's tree.
type Cell struct {
	Dataset string `json:"dataset"`
	Split   int    `json:"split"`
	Again   bool   `json:"again"` // it was computed again
	Leaf    string `json:"leaf"`
}

func (c Cell) name() string { return fmt.Sprintf("%s, split %d", c.Dataset, c.Split) }

func byName(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Split, b.Split))
}

// find returns the place of a cell, and whether it is there.
func (r Receipt) find(dataset string, split int) (int, bool) {
	return slices.BinarySearchFunc(r.Cells, Cell{Dataset: dataset, Split: split}, byName)
}

// Has reports whether the receipt has a cell.
func (r Receipt) Has(dataset string, split int) bool {
	_, found := r.find(dataset, split)
	return found
}

// Of completes a receipt that says what results do not say: entry, chance, seed, whether the method is deterministic,
// and the hash of the program. reported are the entrant's results. again are those that were computed again, in the
// environment env; they stand in the place of the reported ones.
func (r Receipt) Of(reported, again []result.Run, env result.Environment, at time.Time) (Receipt, error) {
	r.Format, r.Program = ReceiptFormat, env.ProgramVersion
	r.Processor, r.System = env.CPU, env.OS+" "+env.Arch
	r.Date = at.UTC().Truncate(time.Second).Format(time.RFC3339)
	if len(reported) == 0 {
		return r, errors.New("there are no results for a receipt")
	}
	first := reported[0]
	r.Method, r.MethodVersion, r.Protocol, r.ProtocolHash = first.Method, first.MethodVersion, first.Protocol,
		first.ProtocolHash
	elsewhere := true
	for _, run := range reported {
		e := run.Environment
		elsewhere = elsewhere && e != nil && e.CPU != "" && env.CPU != "" && (e.CPU != env.CPU || e.Arch != env.Arch)
	}
	var err error
	if r.Cells, err = r.leaves(Replace(reported, again)); err != nil {
		return r, err
	}
	for _, run := range again {
		i, found := r.find(run.Dataset, run.Split)
		if !found {
			return r, fmt.Errorf("%s was computed again and is not among the results", run.Name())
		}
		r.Cells[i].Again = true
	}
	if r.Level = r.level(); r.Level == AllAgain && elsewhere {
		r.Level = Elsewhere
	}
	r.Root = root(r.Cells)
	return r, nil
}

// level is the level that follows from the cells, Elsewhere aside.
func (r Receipt) level() Level {
	switch r.Again() {
	case 0:
		return Reported
	case len(r.Cells):
		return AllAgain
	}
	return SomeAgain
}

// Again is the number of cells that were computed again.
func (r Receipt) Again() (n int) {
	for _, c := range r.Cells {
		if c.Again {
			n++
		}
	}
	return n
}

// leaves are the cells of results, sorted. It is an error if the results are not of the receipt's method, version and
// protocol, or have a cell twice.
func (r Receipt) leaves(runs []result.Run) ([]Cell, error) {
	out := make([]Cell, 0, len(runs))
	for _, run := range runs {
		if run.Method != r.Method || run.MethodVersion != r.MethodVersion || run.Protocol != r.Protocol ||
			run.ProtocolHash != r.ProtocolHash {
			return nil, fmt.Errorf("%s is of another method, version or protocol than the receipt", run.Name())
		}
		leaf, err := Leaf(run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", run.Name(), err)
		}
		out = append(out, Cell{run.Dataset, run.Split, false, leaf})
	}
	slices.SortFunc(out, byName)
	for i := range out[1:] {
		if byName(out[i], out[i+1]) == 0 {
			return nil, fmt.Errorf("%s is there twice", out[i].name())
		}
	}
	return out, nil
}

// Leaf hashes what a cell ended with: its key, how it ended, the counts of its tests, those of the folds of the
// selected grid point, and the bits of its scores. Times are not part of it, and neither are folds of other grid
// points, since a bundle may lack them.
func Leaf(run result.Run) (string, error) {
	key := run.Key
	if run.Status == result.OK {
		key = plan.KeyOfRun(run)
	}
	run = run.Condense().Portable()
	var folds []result.Score
	for _, e := range run.Folds {
		folds = append(folds, e.Score)
	}
	text, err := json.Marshal(struct {
		Key         string
		Status      result.Status
		Class       result.Class
		Train, Test int
		Selected    *int
		Score       result.Score
		Folds       []result.Score
		Stages      []result.Stage
		GridTests   []result.Score
		SeedTests   []result.SeedTest
		ScoresHash  string
	}{key, run.Status, run.Failure(), run.TrainRows, run.TestRows, run.Selected, run.Score, folds, run.Stages,
		run.GridTests, run.SeedTests, run.ScoresHash})
	sum := sha256.Sum256(append([]byte{0}, text...))
	return hex.EncodeToString(sum[:]), err
}

// above is the hash of a node above two others.
func above(left, right string) string {
	both, _ := hex.DecodeString("01" + left + right) // of hashes, which are hexadecimal
	sum := sha256.Sum256(both)
	return hex.EncodeToString(sum[:])
}

// root is the hash at the top of a tree. A node without a neighbour goes up as it is.
func root(cells []Cell) string {
	var level []string
	for _, c := range cells {
		level = append(level, c.Leaf)
	}
	for len(level) > 1 {
		up := level[:0]
		for i := 0; i < len(level); i += 2 {
			if i+1 == len(level) {
				up = append(up, level[i])
				continue
			}
			up = append(up, above(level[i], level[i+1]))
		}
		level = up
	}
	return level[0]
}

// Check compares results with the receipt. The error names the first cell that differs.
func (r Receipt) Check(runs []result.Run) error {
	var again []result.Run
	for _, run := range runs {
		i, found := r.find(run.Dataset, run.Split)
		if found && r.Cells[i].Again {
			again = append(again, run)
		}
	}
	cells, err := r.leaves(Replace(runs, again))
	if err != nil {
		return err
	}
	for i, c := range r.Cells {
		switch {
		case i >= len(cells) || byName(c, cells[i]) < 0:
			return fmt.Errorf("%s is in the receipt and not among the results", c.name())
		case byName(c, cells[i]) > 0:
			return fmt.Errorf("%s is among the results and not in the receipt", cells[i].name())
		case c.Leaf != cells[i].Leaf:
			return fmt.Errorf("%s differs from the receipt: its leaf is %s, that of the receipt %s", c.name(),
				cells[i].Leaf, c.Leaf)
		}
	}
	if len(cells) > len(r.Cells) {
		return fmt.Errorf("%s is among the results and not in the receipt", cells[len(r.Cells)].name())
	}
	return nil
}

// Text is the receipt as a file.
func (r Receipt) Text() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", " ")
	return append(text, '\n'), err
}

// ParseReceipt reads the file of a receipt, and checks that it does not contradict itself.
func ParseReceipt(text []byte) (Receipt, error) {
	var r Receipt
	if len(text) > MostReceipt {
		return r, fmt.Errorf("it has more than %d bytes", MostReceipt)
	}
	if err := strictjson.Unmarshal(text, &r); err != nil {
		return r, err
	}
	_, dated := time.Parse(time.RFC3339, r.Date)
	switch {
	case r.Format != ReceiptFormat:
		return r, fmt.Errorf("its format is %q, and this program reads %q; use the bench that wrote it", r.Format,
			ReceiptFormat)
	case len(r.Cells) == 0:
		return r, errors.New("it has no cells")
	case dated != nil:
		return r, fmt.Errorf("date is %q, which is no time of RFC 3339", r.Date)
	case !(0 <= r.Caught && r.Caught <= 1) || r.Gain < 0:
		return r, fmt.Errorf("caught is %v and gain %v; they are a probability and percentage points", r.Caught, r.Gain)
	case r.Level != r.level() && (r.Level != Elsewhere || r.level() != AllAgain):
		return r, fmt.Errorf("level is %q, and of its %d cells %d were computed again", r.Level, len(r.Cells),
			r.Again())
	}
	for i, c := range r.Cells {
		if !hash.MatchString(c.Leaf) {
			return r, fmt.Errorf("cells[%d].leaf is no SHA-256", i)
		}
		if i > 0 && byName(r.Cells[i-1], c) >= 0 {
			return r, fmt.Errorf("%s is out of order", c.name())
		}
	}
	if is := root(r.Cells); is != r.Root {
		return r, fmt.Errorf("root is %q, and the cells give %s: the receipt was changed", r.Root, is)
	}
	return r, nil
}

// ReadFolder reads the files of an entry from a disk: those that EntryHash hashes.
func ReadFolder(dir string) (map[string]File, error) {
	out := map[string]File{}
	limits := Usual().Limits
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if name = filepath.ToSlash(name); err != nil || name == ResultsFile || written(name) {
			return err
		}
		if len(out) == limits.Files {
			return fmt.Errorf("%s: an entry has at most %d files", dir, limits.Files)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, err := files.Read(path, limits.FileBytes)
		out[name] = File{content, info.Mode()&0o100 != 0}
		return err
	})
	return out, err
}

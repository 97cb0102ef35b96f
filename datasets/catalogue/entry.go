package catalogue

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// An Entry describes one set: what it is, its files, and how they are read. It is
// the content of one TOML file; docs/reference/datasets.md explains every key.
type Entry struct {
	Name      string        `toml:"name"`
	Title     string        `toml:"title"`
	Task      registry.Task `toml:"-"`          // key task: binary (the default), multiclass, regression
	VariantOf string        `toml:"variant_of"` // the set that this is another reading of
	// a large file that no public commit has: it is fetched only where the set is named
	Named     bool     `toml:"named"`
	Protocols []string `toml:"protocols"` // the protocols whose list holds this set, e.g. "table2"
	Rows      int      `toml:"rows"`      // checked by Load; 0 accepts any number
	Features  int      `toml:"features"`  // of the loaded matrix; checked by Load; 0 accepts any number
	// features with at most four values, for predictions of time; checked by Load; 0 where there is none or their
	// number is not known
	Codes    int      `toml:"codes"`
	Counts   []int    `toml:"counts"` // rows of each class: -1, +1 or 0..K-1; checked by Load
	Source   string   `toml:"source"` // e.g. "UCI 109"
	Citation string   `toml:"citation"`
	Licence  string   `toml:"licence"` // as the source states it, "not confirmed" where the statement was not found
	Gaps     int      `toml:"gaps"`    // rows with a missing value, for people
	Defects  []string `toml:"defects"` // what a reader must know before trusting numbers from it
	// leaks, identifiers and repeated rows that describe saw; runs and reports say them
	Cautions  []string `toml:"cautions"`
	Generator string   `toml:"generate"` // how the program makes the file itself; "" if it cannot
	Generated bool     `toml:"-"`        // Generator is set: the set loads without any file
	Files     []File   `toml:"files"`

	Reading

	dir  string // of the TOML file, for a user's set; "" for the built-in ones
	toml string // the TOML file's path as it was given, for a user's set
	text string // the TOML itself
}

// A Reading says how files become numbers. A Set depends on its Reading and on the checksums
// of its files alone, and Fingerprint hashes both as JSON. JSON must leave out an empty new field:
// otherwise every stored result loses its key.
type Reading struct {
	// the name of one of format.All
	Format string `toml:"format" json:"format,omitempty"`
	// of csv: one character; default ","
	Separator string `toml:"separator" json:"separator,omitempty"`
	// whether the first line names the columns; by default it does if label is a name
	Header *bool `toml:"header" json:"header,omitempty"`
	// names of all the file's columns, where the file has no header
	Columns Texts `toml:"columns" json:"columns,omitempty"`
	// the target; not for libsvm, where it comes first
	Label *Column `toml:"label" json:"label,omitempty"`
	Group *Column `toml:"group" json:"group,omitempty"` // which rows are one group
	// the group is the text before the last occurrence of this text, as the person in "phon_R01_S01_1"
	GroupUntil string `toml:"group_until" json:"group_until,omitempty"`
	// columns that are neither input nor target
	Drop ColumnList `toml:"drop" json:"drop,omitempty"`
	// columns to turn into one 0/1 column per level
	Categorical ColumnList `toml:"categorical" json:"categorical,omitempty"`
	// of csv and blank: "," where numbers have a decimal comma
	Decimal   string     `toml:"decimal" json:"decimal,omitempty"`
	Thousands string     `toml:"thousands" json:"thousands,omitempty"`   // one of the Separators, or ""
	Dates     ColumnList `toml:"dates" json:"dates,omitempty"`           // see package datasets
	DateOrder string     `toml:"date_order" json:"date_order,omitempty"` // DayFirst, MonthFirst, or ""
	// the texts that stand for a missing value, e.g. "?"; by default the empty value, in ARFF files "?"
	Missing Marks `toml:"missing" json:"missing,omitzero"`
	// texts that differ in upper and lower case or in blanks alone are one level, label, group or mark
	Fold bool `toml:"fold" json:"fold,omitempty"`
	// rows without a label are left out; otherwise one is an error
	DropUnlabelled bool `toml:"drop_unlabelled" json:"drop_unlabelled,omitempty"`
	// what a missing categorical value becomes: "zero" (zero in all of the column's levels) or "level" (a level of its
	// own); "" makes it an error
	MissingAs string `toml:"missing_as" json:"missing_as,omitempty"`
	// what a missing number becomes: "median", "mean" or "most-frequent" of the training rows, or "none" (NaN); ""
	// makes it an error
	Impute string `toml:"impute" json:"impute,omitempty"`
	// a numeric column with missing values gets another one that says where
	Indicator bool `toml:"indicator" json:"indicator,omitempty"`
	// binary: the labels that are -1; by default all that are not positive
	Negative Texts `toml:"negative" json:"negative,omitempty"`
	Positive Texts `toml:"positive" json:"positive,omitempty"` // binary: the labels that are +1
	// binary, instead of positive: a number as label is +1 from this value on
	PositiveFrom *float64 `toml:"positive_from" json:"positive_from,omitempty"`
	// multiclass: the labels of class 0, 1, ...; by default sorted
	Classes Texts `toml:"classes" json:"classes,omitempty"`
	// multiclass, instead of label: row i has class i / rows_per_class
	RowsPerClass int `toml:"rows_per_class" json:"rows_per_class,omitempty"`
	// regression: where the smallest and the largest target of all rows go
	TargetRange []float64 `toml:"target_range" json:"target_range,omitempty"`
	// the features of the matrix by channel, in order, where no file is a channel
	Channels []Channel `toml:"channels" json:"channels,omitempty"`
}

// Unfit says why a method cannot run on the set, "" if it can.
func (e *Entry) Unfit(m registry.Spec) string {
	switch {
	case m.Tasks&e.Task == 0:
		return fmt.Sprintf("the method does not solve %s sets", e.Task)
	case e.Impute == "none" && !m.Gaps:
		return "the method takes no missing values, and the set says impute = \"none\""
	}
	return ""
}

// A Channel is a block of consecutive features.
type Channel struct {
	Name     string `toml:"name" json:"name"`
	Features int    `toml:"features" json:"features"`
}

// A File is one file of an entry.
type File struct {
	// relative to the data directory, or to the TOML file of a user's set; .gz at the end: packed by gzip
	Path string `toml:"path"`
	// "" training rows or all rows, "test" rows after those, "splits" how protocols may divide the rows,
	// "documentation" not read
	Role       string `toml:"role"`
	Bytes      int64  `toml:"bytes"`
	SHA256     string `toml:"sha256"`     // hexadecimal; may be "" in a user's set only
	Repository string `toml:"repository"` // public address: host/owner/name,
	Commit     string `toml:"commit"`     // the full commit,
	Source     string `toml:"source"`     // the path in it,
	ZipEntry   string `toml:"zip_entry"`  // and the entry's name if that path is a zip archive
	Note       string `toml:"note"`       // how the file was made, where it has no public address
	Channel    string `toml:"channel"`    // files with a channel are joined by columns, in order, not by rows
	Rows       int    `toml:"rows"`       // of this file; checked by Load; 0 accepts any number
	FirstRows  int    `toml:"first_rows"` // the rest of the file is not read; 0 reads all
	Features   int    `toml:"features"`   // of this channel; checked by Load; 0 accepts any number
	// of a channel: its rows stand in the order that NumPy's generator seeded with this draws; 0 leaves them
	Permute uint32 `toml:"permute"`
}

// The roles of a File.
const (
	RoleTest          = "test"
	RoleSplits        = "splits"
	RoleDocumentation = "documentation"
)

// Packed reports whether the file is packed by gzip. Its size and SHA-256 are those of the packed bytes.
func (f File) Packed() bool { return strings.EqualFold(filepath.Ext(f.Path), gzipExtension) }

const gzipExtension = ".gz"

// Extension returns the lower-case extension of a file's name, which tells its format.
func (f File) Extension() string {
	name := strings.ToLower(f.Path)
	if f.Packed() {
		name = strings.TrimSuffix(name, gzipExtension)
	}
	return filepath.Ext(name)
}

// Local reports whether the entry is a user's own, with files beside its TOML file.
func (e *Entry) Local() bool { return e.dir != "" }

// File returns the path of the TOML file that the entry was read from, as it was
// given to Catalogue.Add; "" for the built-in entries.
func (e *Entry) File() string { return e.toml }

// Path returns where a file of the entry is, or would be: in the data directory root, or beside
// the TOML file of a user's set.
func (e *Entry) Path(root string, f File) string {
	switch {
	case filepath.IsAbs(f.Path):
		return f.Path
	case e.Local():
		root = e.dir
	}
	return filepath.Join(root, filepath.FromSlash(f.Path))
}

// TextBytes estimates the bytes of memory that the content of the entry's data files takes while the set is loaded. The
// size of a file is that of the description; if the description gives none, the file itself is asked, in the data
// directory root or beside the TOML file of a user's set. The text in a file packed by gzip is taken to have eight
// times the bytes of the file, but at most 25 characters for each value, and counts twice, since it is unpacked in
// pieces that are then joined.
func (e *Entry) TextBytes(root string) int64 {
	var sum int64
	for _, f := range e.DataFiles() {
		size := f.Bytes
		if info, err := os.Stat(e.Path(root, f)); size == 0 && err == nil {
			size = info.Size()
		}
		if f.Packed() {
			size *= 8
			if values := int64(cmp.Or(f.Rows, f.FirstRows, e.Rows)) * int64(e.Features+1); values > 0 {
				size = min(size, 25*values)
			}
			size *= 2
		}
		sum += size
	}
	return sum
}

// DataFiles returns the files that have the rows, in reading order.
func (e *Entry) DataFiles() []File {
	return slices.DeleteFunc(slices.Clone(e.Files), func(f File) bool {
		return f.Role == RoleDocumentation || f.Role == RoleSplits
	})
}

// SplitsFile returns the file with the set's own splits, and whether there is one. It has a SHA-256.
func (e *Entry) SplitsFile() (File, bool) {
	if i := slices.IndexFunc(e.Files, func(f File) bool { return f.Role == RoleSplits }); i >= 0 {
		return e.Files[i], true
	}
	return File{}, false
}

// TrainRows returns the number of rows of the set's own training part, 0 if it has none. known says whether
// the entry gives the rows of each training file, so that no file must be read.
func (e *Entry) TrainRows() (rows int, known bool) {
	known = true
	for _, f := range e.DataFiles() {
		if f.Role == RoleTest {
			return rows, known
		}
		rows += f.Rows
		known = known && f.Rows > 0
	}
	return 0, true
}

// Blocks returns the blocks of the set's channels, nil if it has none. known says whether the entry gives
// the features of each channel, so that no file must be read.
func (e *Entry) Blocks() (blocks []registry.Block, known bool) {
	channels := e.Channels
	for _, f := range e.DataFiles() {
		switch {
		case f.Channel == "":
			continue
		case f.Features <= 0:
			return nil, false
		}
		channels = append(channels, Channel{f.Channel, f.Features})
	}
	next := 0
	for _, c := range channels {
		blocks = append(blocks, registry.Block{Name: c.Name, From: next, To: next + c.Features})
		next += c.Features
	}
	return blocks, true
}

// document is a TOML file: an Entry with the keys that need translation.
type document struct {
	Entry
	Task string `toml:"task"`
	File string `toml:"file"` // short for one [[files]] with a path
	Test string `toml:"test"` // short for a second [[files]] with role "test"
}

// maxDescription bounds a TOML file, which is a page of text.
const maxDescription = 16 << 20

func readEntry(path string) (*Entry, error) {
	raw, err := files.Read(path, maxDescription)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	e, err := decodeEntry(path, raw, dir)
	if err != nil {
		return nil, err
	}
	e.toml = path
	return e, nil
}

// decodeEntry decodes and checks a TOML file; dir is "" for the built-in ones.
func decodeEntry(path string, raw []byte, dir string) (*Entry, error) {
	var d document
	meta, err := toml.NewDecoder(bytes.NewReader(raw)).Decode(&d)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	for _, key := range meta.Undecoded() {
		if len(key) > 1 && slices.Contains([]string{"drop", "categorical", "dates"}, key[0]) {
			continue // a range of columns, whose keys ColumnList looks at itself
		}
		return nil, fmt.Errorf("%s: %s", path, wording.UnknownTOMLKey(key.String(), d, "docs/reference/datasets.md"))
	}
	e := d.Entry
	e.dir, e.text = dir, string(raw)
	e.Generated = e.Generator != ""
	if d.Task == "" {
		d.Task = registry.Binary.String()
	}
	if e.Task, err = registry.ParseTask(d.Task); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if d.File != "" {
		e.Files = append([]File{{Path: d.File}}, e.Files...)
	}
	if d.Test != "" {
		e.Files = append(e.Files, File{Path: d.Test, Role: RoleTest})
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err = e.complete(); err == nil {
		err = e.checkReading()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &e, nil
}

var (
	validName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	validSHA    = regexp.MustCompile(`^[0-9a-f]{64}$`)
	validCommit = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// check looks at names and files, before defaults are filled in.
func (e *Entry) check() error {
	switch {
	case e.Name == "":
		return fmt.Errorf("the set has no name; write name = \"mydata\"")
	case !validName.MatchString(e.Name):
		return fmt.Errorf("name %q must be letters, digits, '.', '_' or '-', and begin with a letter or digit, e.g. "+
			"name = \"mydata\"", e.Name)
	case len(e.DataFiles()) == 0:
		return fmt.Errorf("set %s has no data file; write file = \"my.csv\"", e.Name)
	case len(e.Drop) == 1 && e.Drop[0].All:
		return fmt.Errorf("set %s: drop = \"all\" leaves no input; for a column of that name write drop = [\"all\"]",
			e.Name)
	}
	if err := wording.CheckName(e.Name); err != nil {
		return fmt.Errorf("the name of the set: %w", err)
	}
	if e.Generator != "" {
		if _, err := Named(e.Generator); err != nil {
			return fmt.Errorf("set %s: generate = %q: %w", e.Name, e.Generator, err)
		}
	}
	for _, f := range e.Files {
		if err := e.checkFile(f); err != nil {
			return fmt.Errorf("set %s: file %q: %w", e.Name, f.Path, err)
		}
	}
	if err := e.checkChannels(); err != nil {
		return fmt.Errorf("set %s: %w", e.Name, err)
	}
	return e.checkJoin()
}

// checkJoin looks at how the files of the set come together.
func (e *Entry) checkJoin() error {
	channels, splits, test := 0, 0, false
	for _, f := range e.Files {
		switch f.Role {
		case RoleSplits:
			splits++
			continue
		case RoleDocumentation:
			continue
		}
		if f.Channel != "" {
			channels++
		}
		if test = test || f.Role == RoleTest; test && (f.Role != RoleTest || f.Channel != "") {
			return fmt.Errorf("set %s: file %q: files with role \"test\" come after all others and have no channel",
				e.Name, f.Path)
		}
	}
	if channels != 0 && channels != len(e.DataFiles()) {
		return fmt.Errorf("set %s gives some files a channel and others none; files are joined by columns only if "+
			"all have one", e.Name)
	}
	if splits > 1 {
		return fmt.Errorf("set %s has %d files with role %q; keep one", e.Name, splits, RoleSplits)
	}
	return nil
}

// checkFile looks at what a file is for and at its parts.
func (e *Entry) checkFile(f File) error {
	holdsLabel := f.Path == e.Files[0].Path && f.Channel == e.Files[0].Channel && (e.Label != nil || e.Group != nil)
	switch {
	case !slices.Contains([]string{"", RoleTest, RoleSplits, RoleDocumentation}, f.Role):
		return fmt.Errorf("role %q is not %q, %q or %q", f.Role, RoleTest, RoleSplits, RoleDocumentation)
	case f.Role == RoleSplits && f.SHA256 == "":
		return fmt.Errorf("a file with role %q needs its sha256, which is a part of what decides results", RoleSplits)
	case f.Path == "":
		return fmt.Errorf("path is empty")
	case min(f.Rows, f.Features, f.FirstRows) < 0:
		return fmt.Errorf("rows = %d, features = %d, first_rows = %d; they must not be negative", f.Rows, f.Features,
			f.FirstRows)
	case f.Features != 0 && f.Channel == "":
		return fmt.Errorf("features = %d is of a file with a channel; give those of all files together outside of "+
			"[[files]]", f.Features)
	case f.Permute != 0 && (f.Channel == "" || holdsLabel):
		return fmt.Errorf("permute = %d is of a file with a channel that holds neither label nor group", f.Permute)
	}
	return e.checkSource(f)
}

// checkSource looks at where a file comes from; a file of the built-in catalogue needs more than a user's.
func (e *Entry) checkSource(f File) error {
	switch {
	case f.SHA256 != "" && !validSHA.MatchString(f.SHA256):
		return fmt.Errorf("sha256 %q is not 64 lower-case hexadecimal digits", f.SHA256)
	case f.Repository != "" && (!validCommit.MatchString(f.Commit) || f.Source == ""):
		return fmt.Errorf("repository %q needs a full commit and a source path", f.Repository)
	case e.Local():
		return nil
	case !filepath.IsLocal(f.Path):
		return fmt.Errorf("path must be inside the data directory")
	case f.SHA256 == "" || f.Bytes <= 0:
		return fmt.Errorf("bytes and sha256 are required")
	case f.Repository == "" && f.Note == "" && e.Generator == "":
		return fmt.Errorf("it has neither a repository, nor a note, nor a generator")
	}
	return nil
}

func (e *Entry) checkChannels() error {
	var names []string
	for _, c := range e.Channels {
		switch {
		case c.Name == "" || slices.Contains(names, c.Name):
			return fmt.Errorf("channels: every channel needs a name of its own, and one is called %q", c.Name)
		case c.Features < 1:
			return fmt.Errorf("channels: %s has features = %d; it needs at least one", c.Name, c.Features)
		}
		names = append(names, c.Name)
	}
	if e.Channels != nil && e.DataFiles()[0].Channel != "" {
		return fmt.Errorf("channels divides the features of files without a channel; give one of them")
	}
	return nil
}

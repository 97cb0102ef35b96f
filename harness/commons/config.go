// Package commons decides which methods enter a commons: a git repository of methods of many people, each of which is
// computed again before it counts.
//
//	config.go   what a commons says of itself: its protocol, sets, limits and level
//	entry.go    what an entry consists of, and what its files may be
//	git.go      git, called such that no name is taken for an option
//	change.go   the change that somebody asks for, read from git without checking it out
//	choose.go   which cells are computed again, and how probably a forger is caught
//	compare.go  what was reported against what was computed
//	python.go   the Python of an entry, with the packages of its lock
//	receipt.go  what a check says of an entry
//	new.go      the files of a new commons
//
// Nothing of an entry is executed here. Its files are bounded in size before they are read, and their names are checked
// before they are written.
package commons

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/kernelboosting/bench/internal/wording"
)

// These are the files of a commons and of an entry that have a fixed name.
const (
	ConfigFile  = "commons.toml"
	Methods     = "methods" // the folder of entries
	Refused     = "refused" // the folder of versions whose check failed
	EntryFile   = "entry.toml"
	LockFile    = "lock.txt"
	ResultsFile = "results.bench"
	ReceiptFile = "receipt.json"
)

// doc is where the keys of both TOML files are explained.
const doc = "docs/how-to/commons.md"

// maxText is the size of a file of settings, in bytes.
const maxText = 64 << 10

// A Config is what a commons says of itself.
type Config struct {
	Protocol    string        `toml:"protocol"`
	Datasets    []string      `toml:"datasets"`
	Splits      int           `toml:"splits"`
	LeastSplits int           `toml:"least_splits"` // an entry has at least the first of the splits up to this one
	Level       float64       `toml:"level"`        // the probability with which a forger is caught
	LeastLevel  float64       `toml:"least_level"`  // a check that reaches less enters nothing
	Gain        float64       `toml:"gain"`         // of the forger, in points of the mean of all cells
	Time        time.Duration `toml:"time"`         // of the computation of a check
	Limits      Limits        `toml:"limits"`
	Program     Program       `toml:"program"`
}

// Limits bound an entry.
type Limits struct {
	Files        int   `toml:"files"`
	FileBytes    int64 `toml:"file_bytes"` // of each file but the results
	ResultsBytes int64 `toml:"results_bytes"`
}

// A Program is the bench that checks entries.
type Program struct {
	Version string `toml:"version"`
	SHA256  string `toml:"sha256"`
	URL     string `toml:"url"` // from where the workflow fetches it; "" for nowhere
}

// Usual is the configuration of a new commons.
func Usual() Config {
	return Config{Level: 0.99, LeastLevel: 0.5, Gain: 0.2, Time: 10 * time.Minute,
		Limits: Limits{Files: 50, FileBytes: 1 << 20, ResultsBytes: 4 << 20}}
}

// ParseConfig reads commons.toml.
func ParseConfig(text []byte) (Config, error) {
	var c Config
	if err := parseTOML(text, &c); err != nil {
		return c, fmt.Errorf("%s: %w", ConfigFile, err)
	}
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{c.Protocol == "", "protocol is missing"},
		{len(c.Datasets) == 0, "datasets names no set"},
		{c.Splits < 1, "splits must be at least 1"},
		{c.LeastSplits < 1 || c.LeastSplits > c.Splits, "least_splits must be 1 to splits"},
		{!(0 < c.Level && c.Level < 1), "level must be between 0 and 1"},
		{!(0 <= c.LeastLevel && c.LeastLevel <= c.Level), "least_level must be 0 to level"},
		{!(0 < c.Gain && c.Gain <= 100), "gain must be above 0, in percentage points"},
		{c.Time <= 0, "time must be positive, such as \"10m\""},
		{c.Limits.Files < 1 || c.Limits.FileBytes < 1 || c.Limits.ResultsBytes < 1, "limits must be positive"},
		{c.Program.SHA256 != "" && !hash.MatchString(c.Program.SHA256), "program.sha256 is no SHA-256"},
	} {
		if rule.broken {
			return c, fmt.Errorf("%s: %s; the keys are explained in %s", ConfigFile, rule.says, doc)
		}
	}
	return c, nil
}

// parseTOML reads TOML whose keys are all those of v, a pointer.
func parseTOML(text []byte, v any) error {
	if len(text) > maxText {
		return fmt.Errorf("it has more than %d bytes", maxText)
	}
	meta, err := toml.NewDecoder(bytes.NewReader(text)).Decode(v)
	var at toml.ParseError
	switch {
	case errors.As(err, &at):
		return fmt.Errorf("line %d: %s", at.Position.Line, at.Message)
	case err != nil:
		return err
	}
	for _, key := range meta.Undecoded() {
		return errors.New(wording.UnknownTOMLKey(key.String(), v, doc))
	}
	return nil
}

var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

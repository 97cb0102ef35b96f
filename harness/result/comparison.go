package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"time"

	"github.com/BurntSushi/toml"
)

const comparisonVersion = "bench-comparison/1"

// A Comparison is written down before its first result: who is compared with whom, on which data, by which test. It is
// a method against one or several others, or for none of them against each method of the field. The hash of its file
// names it.
//
// Where the fields of PRML (Pre-Registered ML Manifest, https://spec.falsify.dev/v0.1) mean the same, the file has
// their names: version, created_at, metric, and dataset with id and hash. PRML binds a value of one model to a
// threshold, and so has no words for the other fields: the file is no manifest of PRML.
type Comparison struct {
	Version     string           `toml:"version"`
	Created     time.Time        `toml:"created_at"` // UTC
	Question    string           `toml:"question"`   // for people
	Metric      string           `toml:"metric"`
	Level       float64          `toml:"level"`
	Equivalence string           `toml:"equivalence"`     // the region of practical equivalence, as --equivalence; "" for none
	Splits      []int            `toml:"splits"`          // of each set, in increasing order
	Until       string           `toml:"until,omitempty"` // "decided" if the run ends once all splits would say the same
	Protocol    Named            `toml:"protocol"`
	Method      ComparedMethod   `toml:"method"`
	Against     []ComparedMethod `toml:"against"`
	Datasets    []Named          `toml:"dataset"`

	Text    string `toml:"-"` // the file
	Earlier string `toml:"-"` // names a result of the method's version that is older than the comparison; "" for none
}

// Named is a protocol or a data set with the hash of its content.
type Named struct {
	ID   string `toml:"id"`
	Hash string `toml:"hash"`
}

// A ComparedMethod is a method with its version. Of a plugin the version holds a hash of its files.
type ComparedMethod struct {
	ID      string `toml:"id"`
	Version string `toml:"version"`
}

// Written returns a comparison with the text of its file.
func (c Comparison) Written() (Comparison, error) {
	var b bytes.Buffer
	c.Version = comparisonVersion
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err := e.Encode(c)
	c.Text = b.String()
	return c, err
}

// ParseComparison reads the text of a file.
func ParseComparison(text string) (Comparison, error) {
	var c Comparison
	_, err := toml.Decode(text, &c)
	if err == nil && c.Version != comparisonVersion {
		err = fmt.Errorf("it has version %q, and this program reads %q; use the bench that wrote it", c.Version,
			comparisonVersion)
	}
	c.Text = text
	return c, err
}

// Hash is the SHA-256 of the file.
func (c Comparison) Hash() string {
	sum := sha256.Sum256([]byte(c.Text))
	return hex.EncodeToString(sum[:])
}

// On is the time of the registration, for people.
func (c Comparison) On() string { return c.Created.UTC().Format("2006-01-02 15:04 UTC") }

// Short is the beginning of the hash, which names the comparison to people.
func (c Comparison) Short() string { return c.Hash()[:12] }

// Same reports whether two comparisons ask the same, at whatever time.
func (c Comparison) Same(other Comparison) bool {
	for _, one := range []*Comparison{&c, &other} {
		one.Created, one.Text, one.Earlier = time.Time{}, "", ""
	}
	return reflect.DeepEqual(c, other)
}

// Sets are the names of the data sets.
func (c Comparison) Sets() []string {
	var out []string
	for _, d := range c.Datasets {
		out = append(out, d.ID)
	}
	return out
}

// Methods are the method and those that it is compared with.
func (c Comparison) Methods() []ComparedMethod {
	return append([]ComparedMethod{c.Method}, c.Against...)
}

// Others are the names of the methods that the method is compared with.
func (c Comparison) Others() []string {
	var out []string
	for _, m := range c.Against {
		out = append(out, m.ID)
	}
	return out
}

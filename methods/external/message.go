package external

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// These are the versions of the protocol that this program supports. A plugin that supports none of them is
// refused.
const (
	oldestProtocol = 1
	newestProtocol = 1
)

// maxLine is the most bytes of an answer; larger values pass as matrices.
const maxLine = 16 << 20

// These are bounds of an answer and of a description. An answer may have as many warnings as a cell keeps.
// All other bounds are far above what a plugin needs.
const (
	mostWarnings   = 20
	mostParameters = 1000
	mostPoints     = 10_000 // of a grid
	mostParts      = 10_000 // files
	mostLibraries  = 100
	mostText       = 2000 // bytes of summary and source
)

// A Request is one line to a plugin. docs/reference/plugin-protocol.md lists the fields of each operation.
type Request struct {
	ID       int64             `json:"id"`
	Op       string            `json:"op"`
	Protocol *[2]int           `json:"protocol,omitempty"` // describe: the oldest and the newest version of the program
	X        string            `json:"x,omitempty"`        // file of the rows
	Y        string            `json:"y,omitempty"`        // file of the targets
	Task     string            `json:"task,omitempty"`
	Classes  int               `json:"classes,omitempty"`
	Outputs  int               `json:"outputs,omitempty"` // scores a row
	Point    json.RawMessage   `json:"setting,omitempty"`
	Points   []json.RawMessage `json:"settings,omitempty"`
	Seed     uint32            `json:"seed"`
	Workers  int               `json:"workers,omitempty"`
	Model    int64             `json:"model,omitempty"`
	Models   []int64           `json:"models,omitempty"`
	// models that are no longer needed; any request may have this field
	Drop []int64 `json:"drop,omitempty"`
	At   []int   `json:"at,omitempty"`  // rounds
	In   string  `json:"in,omitempty"`  // file to read
	Out  string  `json:"out,omitempty"` // file to write
	// fork: the copy's standard error; In and Out are its requests and answers
	Err     string   `json:"err,omitempty"`
	Devices []string `json:"devices,omitempty"` // fork: devices that the copy may write to
	Folder  string   `json:"folder,omitempty"`  // fork: folder that the copy may write to

	rows *mat.Dense // the rows for X; nil if X is already written
}

// An Answer is one line of a plugin.
type Answer struct {
	ID       *int64    `json:"id"`
	Error    *string   `json:"error,omitempty"`
	Trace    string    `json:"trace,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	Rounds   []int     `json:"rounds,omitempty"`  // of models with stages, one for each requested model
	Scores   []float64 `json:"scores,omitempty"`  // in place of a file
	Process  int       `json:"process,omitempty"` // process number of a copy
	*Description
}

// A Description is a plugin's description of itself.
type Description struct {
	Protocol   [2]int               `json:"protocol"` // the oldest and the newest version that the plugin supports
	Name       string               `json:"name"`
	Version    string               `json:"version"`
	Tasks      []string             `json:"tasks"`
	Parameters []registry.Parameter `json:"parameters,omitempty"`
	Grid       registry.Grid        `json:"grid,omitempty"`
	// beyond fit and score: path, stages, save (with load), fork
	Ops []string `json:"ops,omitempty"`
	// the meaning of the scores of two classes: a key of probabilities
	Probabilities string `json:"probabilities,omitempty"`
	Deterministic *bool  `json:"deterministic,omitempty"` // missing means true
	Gaps          bool   `json:"gaps,omitempty"`          // features may be NaN, a value that is missing
	// the plugin needs the network; it has the network if its user gives it
	Network bool   `json:"network,omitempty"`
	Summary string `json:"summary,omitempty"`
	Source  string `json:"source,omitempty"`
	// files of the plugin besides the executable, relative to its folder
	Files     []string          `json:"files,omitempty"`
	Libraries map[string]string `json:"libraries,omitempty"` // name to version
}

func (d *Description) can(op string) bool { return slices.Contains(d.Ops, op) }

// probabilities gives, for each meaning of scores in a description, the probability of +1 by score.
var probabilities = map[string]func(score float64) float64{
	"logit":   vmath.Sigmoid,
	"shifted": func(score float64) float64 { return score + 0.5 },
}

// optionalOps are the operations that a plugin may declare.
var optionalOps = []string{"path", "stages", "save", "fork"}

// parseAnswer reads a line. want is the number of the request that the line must answer.
func parseAnswer(line []byte, want int64) (*Answer, error) {
	a := &Answer{}
	if err := strictjson.UnmarshalOpen(line, a); err != nil {
		if text := strings.TrimSpace(string(line)); !strings.HasPrefix(text, "{") {
			return nil, errors.New("a line on standard output is no answer; print to standard error")
		}
		return nil, fmt.Errorf("an answer cannot be read (%w)", err)
	}
	switch {
	case a.ID == nil:
		return nil, errors.New(`an answer has no "id"`)
	case *a.ID != want:
		return nil, fmt.Errorf("the answer is to request %d; request %d waits for one", *a.ID, want)
	case len(a.Warnings) > mostWarnings:
		return nil, fmt.Errorf(
			"an answer has %d warnings; %d are allowed, so say each text once and leave out the rest",
			len(a.Warnings), mostWarnings)
	}
	return a, nil
}

// check returns an error if a description is incomplete or invalid.
func (d *Description) check() error {
	if d == nil || d.Protocol == [2]int{} {
		return errors.New(`the description has no "protocol": the oldest and the newest version that it speaks, such ` +
			`as [1,1]`)
	}
	if d.Protocol[0] > newestProtocol || d.Protocol[1] < oldestProtocol || d.Protocol[0] > d.Protocol[1] {
		return fmt.Errorf("the plugin speaks versions %d to %d of the protocol and this program %d to %d; update the "+
			"older of the two", d.Protocol[0], d.Protocol[1], oldestProtocol, newestProtocol)
	}
	switch {
	case strings.TrimSpace(d.Name) == "":
		return errors.New(`the description has no "name"`)
	case wording.CheckName(d.Name) != nil:
		return fmt.Errorf("the name of the method: %w", wording.CheckName(d.Name))
	case d.Version == "" || strings.ContainsAny(d.Version, "+ \n"):
		return fmt.Errorf(`the version %q is empty or has a blank or a "+"; write such as "1.0"`, d.Version)
	case len(d.Tasks) == 0:
		return errors.New(`the description has no "tasks": binary, multiclass, regression`)
	}
	for _, err := range []error{d.bounded(), d.visible()} {
		if err != nil {
			return err
		}
	}
	for _, op := range d.Ops {
		if !slices.Contains(optionalOps, op) {
			return fmt.Errorf("the operation %q is not one of %s", op, strings.Join(optionalOps, ", "))
		}
	}
	if _, known := probabilities[d.Probabilities]; d.Probabilities != "" && !known {
		return fmt.Errorf("\"probabilities\" is %q, not one of %s", d.Probabilities,
			strings.Join(slices.Sorted(maps.Keys(probabilities)), ", "))
	}
	return d.checkParameters()
}

func (d *Description) checkParameters() error {
	seen := map[string]bool{}
	for _, p := range d.Parameters {
		switch {
		case p.Name == "" || seen[p.Name]:
			return fmt.Errorf("the parameter %q has no name or comes twice", p.Name)
		case len(p.Default) == 0:
			return fmt.Errorf("parameter %s has no default", p.Name)
		case p.Mixed && (p.Range != "" || p.Integer):
			return fmt.Errorf("parameter %s is mixed and has a range; it can have one of both", p.Name)
		case !p.Mixed && strings.TrimSpace(string(p.Default)) == "null":
			return fmt.Errorf("the default of parameter %s is null; that needs \"mixed\": true", p.Name)
		}
		seen[p.Name] = true
	}
	axes := map[string]bool{}
	for _, axis := range d.Grid {
		if axis.Name != "" && axes[axis.Name] {
			return fmt.Errorf("the axis %q of the grid comes twice", axis.Name)
		}
		axes[axis.Name] = true
	}
	return nil
}

// visible refuses texts that listings cannot show: each text must be one line of visible characters.
func (d *Description) visible() error {
	type text struct{ what, is string }
	texts := []text{{"the version", d.Version}, {"the summary", d.Summary}, {"the source", d.Source}}
	for _, p := range d.Parameters {
		texts = append(texts, text{"the name of a parameter", p.Name}, text{"the range of a parameter", p.Range},
			text{"what a parameter means", p.Means}, text{"a default", string(p.Default)})
	}
	for _, axis := range d.Grid {
		for _, value := range axis.Values {
			if s, is := value.(string); is {
				texts = append(texts, text{"a value of the grid", s})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Libraries)) {
		version := d.Libraries[name]
		texts = append(texts, text{"the name of a library", name}, text{"the version of a library", version})
		if name == "" || version == "" || strings.ContainsAny(name, " ,=") || strings.ContainsAny(version, " ,") ||
			len(name)+len(version) > 200 {
			return fmt.Errorf("the library %q has the version %q; both are part of the method's version, so write "+
				"them short, without blanks, commas and \"=\"", short(name, 100), short(version, 100))
		}
	}
	for _, file := range d.Files {
		texts = append(texts, text{"the name of a file", file})
	}
	for _, t := range texts {
		if spelled := wording.Spelled(t.is); spelled != t.is {
			return fmt.Errorf("%s holds what a terminal obeys, or is no UTF-8: %s; give one line of characters that "+
				"can be seen", t.what, short(spelled, 200))
		}
	}
	return nil
}

// bounded refuses a description that is larger than that of any real method.
func (d *Description) bounded() error {
	points := 1
	for _, axis := range d.Grid {
		if len(axis.Values) > 0 { // an axis without values is refused elsewhere
			points *= len(axis.Values)
		}
		if points > mostPoints {
			return fmt.Errorf("the grid has more than %d points; each is fitted on every fold, so give fewer values",
				mostPoints)
		}
	}
	if bytes := d.settingBytes(); points*bytes > maxLine {
		return fmt.Errorf("the grid has %d points of up to %d bytes, more than %d MiB together; "+
			"give fewer or shorter values, or fewer parameters", points, bytes, maxLine>>20)
	}
	for _, of := range []struct {
		what       string
		has, limit int
	}{
		{"bytes in its version", len(d.Version), 100}, {"tasks", len(d.Tasks), 10},
		{"parameters", len(d.Parameters), mostParameters},
		{"axes of the grid", len(d.Grid), mostParameters}, {"operations", len(d.Ops), 10},
		{"files", len(d.Files), mostParts}, {"libraries", len(d.Libraries), mostLibraries},
		{"bytes in its summary", len(d.Summary), mostText}, {"bytes in its source", len(d.Source), mostText},
	} {
		if of.has > of.limit {
			return fmt.Errorf("the description has %d %s; %d are allowed", of.has, of.what, of.limit)
		}
	}
	return nil
}

// settingBytes returns a bound of the bytes of one grid point as JSON, which has a value for every parameter. The plan,
// each cell's process and the database hold all points, so that a short description could fill the memory.
func (d *Description) settingBytes() int {
	total := len("{}")
	for _, p := range d.Parameters {
		total += len(`"":,`) + len(p.Name) + len(p.Default)
	}
	for _, axis := range d.Grid {
		longest := 0
		for _, value := range axis.Values {
			text, _ := json.Marshal(value) // it was read from JSON
			longest = max(longest, len(text))
		}
		total += longest
	}
	return total
}

func (d *Description) tasks() (registry.Task, error) {
	var all registry.Task
	for _, name := range d.Tasks {
		task, err := registry.ParseTask(name)
		if err != nil {
			return 0, err
		}
		all |= task
	}
	return all, nil
}

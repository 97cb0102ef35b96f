package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/registry"
)

// A set is a data set on its way into the folder. Its exported fields are the keys of its description.
type set struct {
	Name        string           `toml:"name"`
	Title       string           `toml:"title"`
	Source      string           `toml:"source"` // names set and task: equal sources mean equal descriptions
	Citation    string           `toml:"citation,omitempty"`
	Defects     []string         `toml:"defects,omitempty"`
	Task        string           `toml:"task"`
	Format      string           `toml:"format"`
	Label       any              `toml:"label"` // a name or a number, as the columns of Drop
	Positive    []string         `toml:"positive,omitempty"`
	Group       any              `toml:"group,omitempty"`
	Drop        []any            `toml:"drop,omitempty"`
	Categorical []any            `toml:"categorical,omitempty"` // of a Parquet file; an ARFF file declares its own
	Missing     string           `toml:"missing,omitempty"`
	Impute      string           `toml:"impute,omitempty"`
	Rows        int              `toml:"rows,omitzero"`
	Features    int              `toml:"features,omitzero"`
	Counts      []int            `toml:"counts,omitempty"`
	Files       []catalogue.File `toml:"-"`

	nominal               []any
	id, ref, address, md5 string
	plain                 string // the set's name on the server
}

// describe says how a set is read, by what the server says of it. Only what the file itself tells is left for complete.
func (a *Adder) describe(ctx context.Context, id string, t *task) (*set, error) {
	d, err := a.dataOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if f := strings.ToLower(string(d.Format)); f != "arff" && f != "sparse_arff" {
		return nil, fmt.Errorf("the file of %s is in the format %q; ARFF is read", d.Name, d.Format)
	}
	features, err := a.featuresOf(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &set{
		Name: nameOf(string(d.Name), id), Title: fmt.Sprintf("%s, version %s", d.Name, d.Version),
		Source: "OpenML data set " + id, Citation: string(d.Citation), Format: read.ARFF.Name,
		id: id, ref: Set + id, address: string(d.URL), md5: strings.ToLower(string(d.MD5)), plain: string(d.Name),
	}
	if d.Status != "" && d.Status != "active" {
		s.Defects = []string{fmt.Sprintf("OpenML calls this version %s, not active", d.Status)}
	}
	label, err := labelOf(d, features, t)
	if err != nil {
		return nil, err
	}
	s.Task, s.Label = registry.Multiclass.String(), namer(features)(label)
	if t == nil && features[label].Type == "numeric" || t != nil && !t.classes {
		s.Task = registry.Regression.String()
	}
	if t != nil {
		s.Source += ", task " + t.id
		s.ref = Task + t.id
		if t.target != string(d.Target) {
			s.Name += "-task-" + t.id
		}
	}
	left, err := s.without(features, label, a.Drop)
	if err != nil {
		return nil, err
	}
	group, err := s.by(features, label, left, a.Group)
	if err != nil {
		return nil, err
	}
	return s, s.columns(d, features, label, group, left, a.DropText)
}

// by returns the column that says which rows belong together, -1 for none, and gives the set a name and a source of its
// own.
func (s *set) by(features []feature, label int, left map[int]bool, name string) (int, error) {
	j := slices.IndexFunc(features, func(f feature) bool { return string(f.Name) == name })
	switch {
	case name == "":
		return -1, nil
	case j < 0:
		return 0, fmt.Errorf("--group: %s has no column %q", s.plain, name)
	case j == label || left[j]:
		return 0, fmt.Errorf("--group names %s, which is the target of %s or is left out by --drop", name, s.plain)
	}
	s.Group = namer(features)(j)
	s.Source += ", groups by " + name
	s.Name += "-by-" + catalogue.SetName(strings.ReplaceAll(name, "/", "-")+".arff")
	return j, nil
}

// without returns the columns that are to be left out, and gives the set a name and a source of its own.
func (s *set) without(features []feature, label int, drop []string) (map[int]bool, error) {
	var known []string
	left := map[int]bool{}
	for _, f := range features {
		known = append(known, string(f.Name))
	}
	for _, name := range drop {
		switch j := slices.Index(known, name); {
		case j < 0:
			return nil, fmt.Errorf("--drop: %s has no column %q; its columns are %s%s", s.plain, name,
				strings.Join(known, ", "), catalogue.Meant(name, known))
		case j == label:
			return nil, fmt.Errorf("--drop names %s, the target of %s; an openml-task: with another target has it as "+
				"an input", name, s.plain)
		default:
			left[j] = true
		}
	}
	if drop != nil {
		s.Source += ", without " + strings.Join(drop, ", ")
		suffix := catalogue.SetName(strings.ReplaceAll(strings.Join(drop, "-"), "/", "-") + ".arff")
		if len(suffix) > 100 { // of a file name of at most 255 bytes
			suffix = fmt.Sprintf("%d-columns-%x", len(drop), sha256.Sum256([]byte(suffix)))[:30]
		}
		s.Name += "-without-" + suffix
	}
	return left, nil
}

// columns says which columns are left out, and whether values are missing.
func (s *set) columns(d description, features []feature, label, group int, left map[int]bool, dropText bool) error {
	var texts []string
	column, ignored := namer(features), map[string]bool{}
	for _, name := range slices.Concat(d.Ignored, strings.Split(strings.Join(d.Ignored, ","), ",")) {
		ignored[name] = true
	}
	for i, f := range features {
		out := f.Ignored == "true" || f.RowID == "true" || f.Name == d.RowID || ignored[string(f.Name)]
		text := f.Type != "numeric" && f.Type != "nominal"
		switch {
		case i == label, i == group:
			continue
		case !out && text && !dropText && !left[i]:
			texts = append(texts, string(f.Name))
		case out || text || left[i]:
			s.Drop = append(s.Drop, column(i))
			continue
		case f.Type == "nominal":
			s.nominal = append(s.nominal, column(i))
		}
		if n, err := strconv.ParseFloat(string(f.Missing), 64); err != nil || n > 0 {
			s.Missing, s.Impute = "?", "median"
		}
	}
	if texts != nil {
		return fmt.Errorf("%s has columns of text or dates, which are no inputs: %s; --drop-text leaves such columns "+
			"out", s.plain, strings.Join(texts, ", "))
	}
	if inputs := len(features) - 1 - len(s.Drop); inputs == 0 || inputs == 1 && group >= 0 {
		return fmt.Errorf("every column of %s is the target or is to be ignored; there is no input", s.plain)
	}
	return nil
}

// labelOf returns the number of the target's column.
func labelOf(d description, features []feature, t *task) (int, error) {
	target := string(d.Target)
	if t != nil {
		target = t.target
	}
	if i := slices.IndexFunc(features, func(f feature) bool { return string(f.Name) == target }); i >= 0 {
		return i, nil
	}
	switch {
	case target == "":
		return 0, fmt.Errorf("%s has no default target; add one of its tasks with %sNUMBER", d.Name, Task)
	case strings.Contains(target, ","):
		return 0, fmt.Errorf("%s has several targets, %s; add one of its tasks with %sNUMBER", d.Name, target, Task)
	}
	return 0, fmt.Errorf("the target %q is no column of %s", target, d.Name)
}

// namer returns how a column is called in TOML: by its name if no other column has this name, else by its number.
func namer(features []feature) func(i int) any {
	times := map[string]int{}
	for _, f := range features {
		times[string(f.Name)]++
	}
	return func(i int) any {
		name := string(features[i].Name)
		if name == "" || name != strings.TrimSpace(name) || times[name] > 1 {
			return i
		}
		return name
	}
}

// mirrored lists the names that the file may have on a mirror.
func (s *set) mirrored() []string {
	return []string{s.id + ".arff", filepath.Base(s.plain) + ".arff", nameOf(s.plain, s.id) + ".arff"}
}

func (s *set) path(a *Adder) string { return filepath.Join(a.Dir, s.Name+".toml") }

// present returns the entry of the set where it is in the folder, described for the same task, with all its files.
func (s *set) present(a *Adder) *catalogue.Entry {
	e, err := new(catalogue.Catalogue).Add(s.path(a))
	if err != nil || e.Source != s.Source || (catalogue.Directory{}).Verify(e) != nil {
		return nil
	}
	return e
}

// complete loads the set and adds to the description what only the file tells: the task, the class +1, and counts. It
// returns a summary for people.
func (s *set) complete(ctx context.Context, a *Adder) (string, error) {
	path, err := filepath.Abs(s.path(a))
	if err != nil {
		return "", err
	}
	e, err := catalogue.Description{TOML: s.toml(), Path: path}.Entry()
	if err != nil {
		return "", err
	}
	loaded, err := read.Load(ctx, catalogue.Directory{Memory: a.Memory}, e)
	if err != nil {
		return "", err
	}
	s.Rows, s.Features = loaded.X.Dims()
	s.Counts = loaded.Counts()
	what := fmt.Sprintf("%d rows, %d features", s.Rows, s.Features)
	switch {
	case e.Task == registry.Regression:
		what += ", regression"
	case len(loaded.Labels) == 2:
		s.Task, s.Positive = registry.Binary.String(), loaded.Labels[1:]
		what += fmt.Sprintf(", class +1 is %s", loaded.Labels[1])
	default:
		what += fmt.Sprintf(", %d classes", len(loaded.Labels))
	}
	return what + fmt.Sprintf(", %d splits of its own", len(loaded.Splits)), nil
}

func (s *set) toml() string {
	type file struct {
		Path   string `toml:"path"`
		Role   string `toml:"role,omitempty"`
		Bytes  int64  `toml:"bytes"`
		SHA256 string `toml:"sha256"`
		Note   string `toml:"note"`
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Written by `bench data add %s`. Names, target and ignored columns are OpenML's.\n", s.ref)
	all := struct {
		*set
		Files []file `toml:"files"`
	}{set: s}
	for _, f := range s.Files {
		all.Files = append(all.Files, file{f.Path, f.Role, f.Bytes, f.SHA256, cmp.Or(f.Note, "bench data add "+s.ref)})
	}
	e := toml.NewEncoder(&b)
	e.Indent = ""
	if err := e.Encode(all); err != nil {
		panic(err) // strings and numbers always encode
	}
	return b.String()
}

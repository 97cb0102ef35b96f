package read

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

type class struct {
	name string
	rows int
}

// usual are names that columns with labels have, the likeliest first.
var usual = []string{"class", "label", "target", "outcome", "y", "diagnosis", "result", "response", "status"}

func (s *source) findLabel() error {
	if s.label = s.lastWithValues(); s.hints.Label != "" {
		s.label = s.columnOf(s.hints.Label)
		same := func(n string) bool { return strings.EqualFold(n, s.hints.Label) }
		if j := slices.IndexFunc(s.names, same); s.label < 0 && j >= 0 && !slices.ContainsFunc(s.names[j+1:], same) {
			s.label = j
			s.note("there is no column %q; %s is taken", s.hints.Label, s.nameOf(j))
		}
		if s.label < 0 {
			return s.noColumn(s.hints.Label)
		}
	} else {
		s.guessed = true
		for _, name := range slices.Backward(usual) {
			j := slices.IndexFunc(s.names, func(n string) bool { return strings.EqualFold(n, name) })
			coordinate := name == "y" && j > 0 && j < len(s.names)-1 && strings.EqualFold(s.names[j-1], "x")
			if j >= 0 && !coordinate {
				s.label = j
			}
		}
		s.note("nothing says which column is the label; %s is taken, and --label names another one", s.nameOf(s.label))
	}
	return s.chooseTask()
}

// columnOf returns the number of a column that is called by its name or its number, or a negative number if there
// is none, or more than one.
func (s *source) columnOf(called string) int {
	j, width := slices.Index(s.names, called), s.parts[0].Width
	if j >= 0 && slices.Contains(s.names[j+1:], called) {
		return -1
	}
	if n, err := strconv.Atoi(called); j < 0 && err == nil && n >= -width && n < width {
		j = (n + width) % width
	}
	return j
}

func (s *source) noColumn(called string) error {
	if j := slices.Index(s.names, called); j >= 0 {
		return fmt.Errorf("%s: columns %d and %d are both named %q; name one by its number", s.paths[0], j,
			j+1+slices.Index(s.names[j+1:], called), called)
	}
	if part := s.parts[0]; !slices.ContainsFunc(s.names, func(name string) bool { return name != "" }) {
		first := ""
		if len(part.odd) > 0 && part.odd[0].line < part.lines[0] {
			first = fmt.Sprintf("; line %d has %d columns, %q, and most lines have %d: give both as many",
				part.odd[0].line, part.odd[0].columns, part.odd[0].text, part.Width)
		}
		return fmt.Errorf("%s: there is no column %q, since no line is read as the names of columns%s; line %d is %q; "+
			"name a column by its number, 0 to %d", s.paths[0], called, first, part.lines[0], part.shown(0, part.Width),
			part.Width-1)
	}
	for i := range min(20, s.rows()) {
		for j := range s.names {
			if s.first > 0 && string(s.text(i, j)) == called {
				return fmt.Errorf("%s: there is no column %q; the columns are %s, as line %d says, and line %d has "+
					"%[2]q: if what comes before it is a title or a comment, remove it or begin its lines with #",
					s.paths[0], called, listed(s.names), s.parts[0].lines[0], s.parts[0].lines[i+s.first])
			}
		}
	}
	return fmt.Errorf("%s: there is no column %q; the columns are %s%s", s.paths[0], called, listed(s.names),
		catalogue.Meant(called, s.names))
}

// toDrop returns the columns that are to be left out.
func (s *source) toDrop() (map[int]bool, error) {
	drop := map[int]bool{}
	for _, called := range s.hints.Drop {
		j := s.columnOf(called)
		switch {
		case j < 0:
			return nil, fmt.Errorf("--drop: %w", s.noColumn(called))
		case j == s.label:
			return nil, fmt.Errorf("%s: --drop names %s, the column of the label; --label names another label",
				s.paths[0], s.nameOf(j))
		}
		drop[j] = true
	}
	return drop, nil
}

// findGroup finds the column that says which rows belong together.
func (s *source) findGroup(drop map[int]bool) error {
	if s.hints.Group == "" {
		return nil
	}
	switch s.group = s.columnOf(s.hints.Group); {
	case s.group < 0:
		return fmt.Errorf("--group: %w", s.noColumn(s.hints.Group))
	case s.group == s.label:
		return fmt.Errorf("%s: --group names %s, the column of the label; --label names another label",
			s.paths[0], s.nameOf(s.group))
	case drop[s.group]:
		return fmt.Errorf("%s: --group and --drop both name %s; leave it out of --drop: a group is no input",
			s.paths[0], s.nameOf(s.group))
	}
	return nil
}

// lastWithValues returns the last column that has a value in the first file, the last one if none has.
func (s *source) lastWithValues() int {
	for j := s.parts[0].Width - 1; j > 0; j-- {
		if !s.parts[0].empty(j) {
			return j
		}
	}
	return s.parts[0].Width - 1
}

func (s *source) chooseTask() error {
	numbers, err := s.countLabels()
	if err != nil {
		return err
	}
	names := make([]string, len(s.classes))
	for i, c := range s.classes {
		names[i] = c.name
	}
	switch {
	case s.hints.Positive != nil:
		s.task = "binary"
		if err := s.choosePositive(s.hints.Positive, names); err != nil {
			return err
		}
	case len(names) == 2:
		s.task, s.pos = "binary", names[1:]
	case numbers:
		s.task = "regression"
		s.note("the label has %d different numbers, so that the task is regression; --positive lists labels of class "+
			"+1 for two classes", len(names))
		return nil
	default:
		s.task = "multiclass"
		s.note("the label has %d values; for two classes list those of class +1 with --positive", len(names))
		if len(names) > many {
			s.problem("the label has %d different texts (%s): is it the label? --label names another column",
				len(names), listed(names))
		}
	}
	s.alike("the label", names)
	s.findSmallClasses(s.rows())
	return nil
}

// many is a number of classes: with more of them, describe doubts that the labels are classes.
const many = 20

// countLabels counts the rows of each label, and reports whether the labels are numbers that are no classes: there are
// many of them, or they are no whole numbers.
func (s *source) countLabels() (bool, error) {
	counts, missing, whole, mark := map[string]int{}, []string(nil), true, ""
	kinds := map[Kind]bool{}
	numbers := true
	for i := range s.rows() {
		text := s.text(i, s.label)
		if IsMissingMark(text) && !s.missing(text, s.label) && counts[s.style.label(text)] == 0 {
			s.note("the label %q is a class, since its @attribute line lists it", clip(text))
		}
		if s.missing(text, s.label) && !slices.Contains(s.hints.Positive, string(text)) {
			missing, mark = append(missing, s.where(i)), cmp.Or(mark, string(text))
			continue
		}
		counts[s.style.label(text)]++
		v, kind, _ := s.style.Value(text)
		kinds[kind], whole, numbers = true, whole && v == math.Trunc(v), numbers && kind.IsNumber()
	}
	if places := strings.Join(missing[:min(3, len(missing))], ", "); missing != nil && s.hints.DropUnlabelled {
		s.note("rows without a label, which are left out: %d (%s)", len(missing), places)
	} else if missing != nil {
		s.problem("rows without a label: %d (%s); fill it in, remove the rows, or leave them out by --drop-unlabelled",
			len(missing), places)
	}
	names := sortedKeys(counts)
	sortLabels(names)
	for _, n := range names {
		s.classes = append(s.classes, class{n, counts[n]})
	}
	switch len(names) {
	case 0:
		return false, fmt.Errorf("%s: no row has a label; --label names another column", s.paths[0])
	case 1:
		if missing != nil {
			advice := "list it with --positive"
			if mark == "" {
				advice = "write a word in its place"
			}
			return false, fmt.Errorf("%s: %d rows have the label %s, and the %q of others stands for a missing label; "+
				"if it is a class, %s", s.paths[0], counts[names[0]], listed(names), clip(mark), advice)
		}
		return false, fmt.Errorf("%s: every row has the label %s; --label names another column", s.paths[0],
			listed(names))
	}
	return numbers && len(kinds) == 1 && (len(names) > many || !whole), nil
}

// choosePositive takes the labels of class +1 that the user lists.
func (s *source) choosePositive(positive, names []string) error {
	for _, p := range s.style.labels(positive) {
		if !slices.Contains(names, p) {
			return fmt.Errorf("%s: no row has the label %q of --positive; the labels are %s%s", s.paths[0], p,
				listed(names), catalogue.Meant(p, names))
		}
		if !slices.Contains(s.pos, p) {
			s.pos = append(s.pos, p)
		}
	}
	if len(s.pos) == len(names) {
		return fmt.Errorf("%s: --positive lists every label (%s), and class -1 has none left", s.paths[0],
			listed(names))
	}
	return nil
}

// findSmallClasses looks for classes with too few of the rows for five folds.
func (s *source) findSmallClasses(all int) {
	for _, c := range s.classes {
		rows, name := c.rows, fmt.Sprintf("class %q", clip(c.name))
		if s.task == "binary" { // all labels of a class count together
			rows, name = 0, "the class of "+name[len("class "):]
			for _, other := range s.classes {
				if slices.Contains(s.pos, other.name) == slices.Contains(s.pos, c.name) {
					rows += other.rows
				}
			}
		}
		if rows <= rare {
			s.problem("%s has %d of %d rows: protocol table2, with five folds, cannot split the set; leave the class "+
				"out or join it with another one", name, rows, all)
		}
	}
}

// sparse describes a sparse file by its labels; its inputs are numbers.
func (s *source) sparse() error {
	if s.hints.Label != "" {
		return fmt.Errorf("%s: in a LIBSVM file the label comes first; leave out --label", s.paths[0])
	}
	if s.hints.Drop != nil {
		return fmt.Errorf("%s: in a LIBSVM file columns have no names; leave out --drop", s.paths[0])
	}
	s.names = make([]string, 1)
	return s.chooseTask()
}

// findLeaks looks for columns that tell the label of every row.
func (s *source) findLeaks() {
	if s.rows() < 20 {
		return
	}
	for i := range s.rows() {
		s.of = append(s.of, s.class(i))
	}
	for _, c := range s.columns {
		if c.drop != "" {
			continue
		}
		if s.task == "regression" {
			if c.numeric && s.line(c) {
				s.caution("column %s looks like a leak: it is a straight line of the label", c.name)
			}
		} else if s.tells(c) {
			s.caution("column %s looks like a leak: it tells the label of every row by itself; drop it if it is "+
				"not known before the label", c.name)
		}
	}
}

// tells reports whether the values of a column divide the classes without error. Either the column has few values and
// each value has one label, or the numbers of each class lie in a range of their own.
func (s *source) tells(c column) bool {
	if c.distinct <= s.rows()/5 {
		of := map[string]string{}
		for i := range s.rows() {
			text := string(s.text(i, c.j))
			if have, seen := of[text]; seen && have != s.of[i] {
				return false
			}
			of[text] = s.of[i]
		}
		return true
	}
	if !c.numeric {
		return false
	}
	type labelled struct {
		v     float64
		label string
	}
	var all []labelled
	for i := range s.rows() {
		v, kind := s.value(s.text(i, c.j))
		if kind != c.kind {
			return false // it does not tell this row
		}
		all = append(all, labelled{v, s.of[i]})
	}
	slices.SortFunc(all, func(a, b labelled) int {
		return cmp.Or(cmp.Compare(a.v, b.v), strings.Compare(a.label, b.label))
	})
	changes, seen := 0, map[string]bool{all[0].label: true}
	for i := 1; i < len(all); i++ {
		if all[i].label != all[i-1].label {
			if changes++; all[i].v == all[i-1].v || seen[all[i].label] {
				return false
			}
			seen[all[i].label] = true
		}
	}
	return changes > 0
}

func (s *source) class(i int) string {
	label := s.style.label(s.text(i, s.label))
	switch {
	case s.task != "binary":
		return label
	case slices.Contains(s.pos, label):
		return "+"
	}
	return ""
}

// line reports a correlation with the label that is 1 or -1 but for rounding.
func (s *source) line(c column) bool {
	var n, sx, sy, sxx, syy, sxy float64
	for i := range s.rows() {
		x, kind := s.value(s.text(i, c.j))
		y, unit, _ := s.style.Value(s.text(i, s.label))
		if kind != c.kind || unit == NoKind {
			continue
		}
		n++
		dx, dy := x-sx, y-sy // running means (Welford)
		sx += dx / n
		sy += dy / n
		sxx += float64(dx * (x - sx))
		syy += float64(dy * (y - sy))
		sxy += float64(dx * (y - sy))
	}
	return sxx > 0 && syy > 0 && float64(sxy*sxy) > 0.999999*float64(sxx*syy)
}

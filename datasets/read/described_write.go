package read

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kernelboosting/bench/internal/wording"
)

// quoted writes a text for TOML, whose basic strings are written as JSON's.
func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always encodes
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\x7f", `\u007f`)
}

func quotedList(texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = quoted(t)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// ref is how column j is called in TOML.
func (s *source) ref(j int) string {
	if s.byName(j) {
		return quoted(s.names[j])
	}
	return fmt.Sprint(j)
}

func (s *source) toml() string {
	var b strings.Builder
	key := func(name, value string) { fmt.Fprintf(&b, "%s = %s\n", name, value) }
	b.WriteString("# Written by `bench data describe`; check the label, and what is left out.\n")
	key("name", quoted(s.setName()))
	for k, path := range s.paths {
		key([]string{"file", "test"}[k], quoted(relative(path, s.hints.TOML)))
	}
	key("task", quoted(s.task))
	key("format", quoted(s.format.Name))
	if s.format.Takes("separator") {
		separator := s.options.Separator
		if separator == "\t" {
			separator = "tab"
		}
		key("separator", quoted(separator))
	}
	if s.format.Takes("header") {
		key("header", fmt.Sprint(s.header))
	}
	if s.style.Decimal != "" {
		key("decimal", quoted(s.style.Decimal))
	}
	if s.style.Thousands != "" {
		key("thousands", quoted(s.style.Thousands))
	}
	if s.format.Takes("label") {
		guess := ""
		if s.guessed {
			guess = "   # a guess"
		}
		key("label", s.ref(s.label)+guess)
	}
	if s.group >= 0 {
		key("group", s.ref(s.group))
	}
	// TOML is UTF-8, so that a label in another encoding cannot be written. Without the key positive the last one of
	// two labels is class +1, which is what s.pos says.
	if s.pos != nil && (s.hints.Positive != nil || utf8.ValidString(s.pos[0])) {
		key("positive", quotedList(s.pos))
	}
	if s.hints.Fold {
		key("fold", "true")
	}
	if s.hints.DropUnlabelled {
		key("drop_unlabelled", "true")
	}
	s.columnKeys(key)
	if left := len(s.cautions) - most; left > 0 {
		s.cautions = append(s.cautions[:most], fmt.Sprintf("%d more of this kind", left))
	}
	if s.cautions != nil {
		key("cautions", quotedList(s.cautions))
	}
	b.WriteString("\n")
	s.comments(&b)
	return b.String()
}

// columnKeys writes what becomes of columns and of missing values.
func (s *source) columnKeys(key func(name, value string)) {
	var drop, dates, categorical []int
	order := ""
	marks, numbers := map[string]bool{}, false
	for j, c := range s.columns {
		switch {
		case j == s.label, j == s.group:
			continue
		case c.drop != "":
			drop = append(drop, j)
			continue
		case c.numeric && c.kind.IsDate():
			if dates = append(dates, j); c.kind >= YearLast {
				order = s.order
			}
		case !c.numeric && !s.parts[0].Nominal(j):
			categorical = append(categorical, j)
		}
		numbers = numbers || c.numeric && c.missing > 0
		for _, w := range c.words {
			marks[w] = true
		}
		for i := 0; c.missing > 0 && i < s.rows(); i++ {
			if text := s.text(i, j); s.missing(text, j) && !marks[string(text)] {
				marks[string(text)] = true
			}
		}
	}
	if drop != nil {
		key("drop", s.refs(drop))
	}
	if dates != nil {
		key("dates", s.refs(dates))
	}
	if order != "" {
		key("date_order", quoted(order))
	}
	if categorical != nil {
		key("categorical", s.refs(categorical))
	}
	if len(marks) == 0 {
		return
	}
	key("missing", quotedList(slices.Sorted(maps.Keys(marks))))
	if numbers {
		key("impute", quoted("median"))
	}
}

// Runs of columns are written as ranges if they are at least so long, and no range is longer than a range of numbers
// may be.
const leastRange, mostRange = 20, 1 << 20

func (s *source) refs(columns []int) string {
	var out []string
	for len(columns) > 0 {
		n := 1
		for n < min(len(columns), mostRange) && columns[n] == columns[n-1]+1 {
			n++
		}
		if n < leastRange {
			out, columns = append(out, s.ref(columns[0])), columns[1:]
			continue
		}
		out = append(out, fmt.Sprintf("{from = %s, to = %s}", s.ref(columns[0]), s.ref(columns[n-1])))
		columns = columns[n:]
	}
	return "[" + strings.Join(out, ", ") + "]"
}

const mostColumns = 200

// comments writes what the classes and the columns are, for people.
func (s *source) comments(b *strings.Builder) {
	line := func(format string, args ...any) {
		b.WriteString(strings.TrimRight("# "+fmt.Sprintf(format, args...), " ") + "\n")
	}
	if s.task != "regression" {
		for _, c := range s.classes {
			sign := ""
			if slices.Contains(s.pos, c.name) {
				sign = " (class +1)"
			}
			line("label %s%s: %s", quoted(clip(c.name)), sign, wording.Count(c.rows, "row"))
		}
	}
	for k, c := range s.columns {
		if k == mostColumns {
			line("... and %d columns more", len(s.columns)-k)
			break
		}
		text := ""
		switch {
		case c.drop == "label":
			continue
		case c.drop != "":
			text = "left out: " + strings.ReplaceAll(c.drop, "\n", " ")
		case c.numeric && c.kind.IsDate():
			text = fmt.Sprintf("dates %s to %s, %d different", day(c.low), day(c.high), c.distinct)
		case c.numeric && c.kind.IsWord():
			one, zero, _ := strings.Cut(pair(c.kind), " and ")
			text = fmt.Sprintf("%d %s, which is 1, and %d %s, which is 0", c.yes, one, s.rows()-c.missing-c.yes, zero)
		case c.numeric:
			text = fmt.Sprintf("numbers %v to %v, %d different", c.low, c.high, c.distinct)
		default:
			text = fmt.Sprintf("%d categories: %s", c.distinct, listed(sortedKeys(s.levelsOf(c.j, s.rows()))))
		}
		if c.missing > 0 {
			text += fmt.Sprintf("; %d missing", c.missing)
		}
		line("column %d %s: %s", c.j, quoted(c.name), text)
	}
}

// relative returns the path of a file as a description in the same folder names it.
func relative(path, toml string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	base, err := filepath.Abs(filepath.Dir(toml))
	if err != nil {
		return full
	}
	if rel, err := filepath.Rel(base, full); err == nil {
		return filepath.ToSlash(rel)
	}
	return full
}

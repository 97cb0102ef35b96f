package catalogue

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// FileFormat returns the format of the entry's data files.
func (e *Entry) FileFormat() *Format { return FormatNamed(e.Format) }

// complete fills in the defaults, so that equal readings are equal values.
func (e *Entry) complete() error {
	extension := e.DataFiles()[0].Extension()
	if f := FormatByExtension(extension); e.Format == "" && f != nil {
		e.Format = f.Name
	}
	f := e.FileFormat()
	if f == nil {
		if e.Format == "" {
			return fmt.Errorf("set %s: the format of %s is not clear from its name; write format = \"%s\"", e.Name,
				e.DataFiles()[0].Path,
				strings.NewReplacer(", ", `", "`, " or ", `" or "`).Replace(FormatNames("", "or")))
		}
		return fmt.Errorf("set %s: format %q is not %s", e.Name, e.Format, FormatNames("", "or"))
	}
	if e.Separator == "" && f.Separator != nil {
		e.Separator = f.Separator(extension)
	}
	if e.Separator == "tab" {
		e.Separator = "\t"
	}
	if e.Header == nil {
		named := func(c *Column) bool { return c != nil && c.Name != "" }
		byName := (named(e.Label) || named(e.Group)) && e.Columns == nil
		e.Header = &byName
	}
	if e.Decimal == "." {
		e.Decimal = ""
	}
	if e.MissingAs == "" && (len(e.Missing) > 0 || e.Impute != "") {
		e.MissingAs = "level"
	}
	if e.MissingAs != "" && e.Missing.IsZero() {
		e.Missing = Marks{f.Missing}
	}
	e.foldLists()
	if e.Columns == nil {
		return nil
	}
	if e.Label != nil {
		e.Label = new(e.numbered(*e.Label))
	}
	if e.Group != nil {
		e.Group = new(e.numbered(*e.Group))
	}
	var err error
	for _, list := range []*ColumnList{&e.Drop, &e.Dates, &e.Categorical} {
		if *list, err = e.numberedList(*list); err != nil {
			return fmt.Errorf("set %s: %w", e.Name, err)
		}
	}
	return nil
}

// foldLists writes marks and labels as they are compared.
func (e *Entry) foldLists() {
	for _, list := range [][]string{e.Missing, e.Negative, e.Positive, e.Classes} {
		for i, text := range list {
			if e.Fold {
				list[i] = Folded(text)
			}
		}
	}
}

func (e *Entry) checkReading() error {
	for _, check := range []func() error{e.checkKeys, e.checkColumns, e.checkMissing, e.checkTask, e.checkTarget,
		e.checkLabels} {
		if err := check(); err != nil {
			return fmt.Errorf("set %s: %w", e.Name, err)
		}
	}
	return nil
}

// checkKeys looks for keys that the format does not take.
func (e *Entry) checkKeys() error {
	for _, key := range []struct {
		name  string
		given bool
	}{
		{"first_rows", slices.ContainsFunc(e.Files, func(f File) bool { return f.FirstRows > 0 })},
		{"separator", e.Separator != ""},
		// a file that names its columns may have it: a label by name sets it
		{"header", *e.Header && e.FileFormat().Sparse},
		{"columns", e.Columns != nil},
		{"decimal", e.Decimal != ""},
		{"thousands", e.Thousands != ""},
		{"label", e.Label != nil},
		{"group", e.Group != nil},
		{"drop", e.Drop != nil},
		{"categorical", e.Categorical != nil},
		{"dates", e.Dates != nil},
		{"date_order", e.DateOrder != ""},
	} {
		if key.given && !e.FileFormat().Takes(key.name) {
			return fmt.Errorf("%s is for format %s, not %s", key.name, FormatNames(key.name, "and"), e.Format)
		}
	}
	return nil
}

// The values of the key date_order, for dates that end with the year.
const (
	DayFirst   = "dmy"
	MonthFirst = "mdy"
)

// Separators are the values of the key thousands. The blank and the apostrophe stand for their typographic forms, too.
var Separators = []string{",", ".", "'", " ", "_"}

// checkColumns looks at how a file is divided into columns, and at the notation of numbers.
func (e *Entry) checkColumns() error {
	switch {
	case e.FileFormat().Takes("separator") && (len(e.Separator) != 1 || strings.ContainsAny(e.Separator, "\"\r\n ")):
		return fmt.Errorf("separator %q is not one character such as \",\", \";\" or \"tab\"; for columns separated "+
			"by blanks write format = \"blank\"", e.Separator)
	case *e.Header && e.Columns != nil:
		return fmt.Errorf("columns names the columns of a file without a header; remove columns or header = true")
	case e.Decimal != "" && e.Decimal != ",":
		return fmt.Errorf("decimal = %q is not \".\" or \",\"", e.Decimal)
	case e.Thousands != "" && !slices.Contains(Separators, e.Thousands):
		return fmt.Errorf("thousands = %q is not one of \"%s\"", e.Thousands, strings.Join(Separators, "\", \""))
	case e.Thousands == "." && e.Decimal == "":
		return fmt.Errorf("thousands = \".\" is for numbers with a decimal comma; write decimal = \",\", too")
	case e.Thousands == "," && e.Decimal == ",":
		return fmt.Errorf("decimal and thousands are both \",\"; they must differ")
	case !slices.Contains([]string{"", DayFirst, MonthFirst}, e.DateOrder):
		return fmt.Errorf("date_order = %q is not %q (day, month, year) or %q; dates with the year first need none",
			e.DateOrder, DayFirst, MonthFirst)
	case e.GroupUntil != "" && e.Group == nil:
		return fmt.Errorf("group_until = %q cuts the values of a group; write group = \"a column\", too", e.GroupUntil)
	case slices.ContainsFunc(e.Dates, func(c Column) bool { return c.All }):
		return fmt.Errorf("dates = \"all\" is for no set; list the columns, for a column of that name [\"all\"]")
	}
	return nil
}

func (e *Entry) checkMissing() error {
	switch {
	case e.MissingAs != "" && e.MissingAs != "zero" && e.MissingAs != "level":
		return fmt.Errorf("missing_as = %q is not \"zero\" or \"level\"", e.MissingAs)
	case e.Impute != "" && !slices.Contains(imputations, e.Impute):
		return fmt.Errorf("impute = %q is not one of \"%s\"%s", e.Impute, strings.Join(imputations, "\", \""),
			Meant(e.Impute, imputations))
	case e.DropUnlabelled && (e.RowsPerClass > 0 || slices.ContainsFunc(e.Files, func(f File) bool {
		return f.Channel != "" || f.Role == RoleSplits
	})):
		return fmt.Errorf("drop_unlabelled = true leaves rows out that rows_per_class, a file of splits or the files " +
			"of channels count; remove it, and these rows from the files")
	case e.Indicator && e.Impute == "":
		return fmt.Errorf("indicator = true says where numbers are missing; write impute = \"median\" too, or " +
			"another way to fill them in")
	}
	return nil
}

// imputations are the values of the key impute, as package datasets names them.
var imputations = []string{"median", "mean", "most-frequent", "none"}

// Meant returns the end of an error about an unknown name: the question "did you mean ...?" with the known names, of
// all, whose spelling is near to name. It returns "" if none is near.
func Meant(name string, all []string) string {
	var near []string
	for _, n := range wording.Suggest(name, all) {
		near = append(near, strconv.Quote(n))
	}
	if near == nil {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// checkTask looks for keys that are for another task.
func (e *Entry) checkTask() error {
	for _, keys := range []struct {
		names string
		given bool
		task  registry.Task
	}{
		{"negative, positive and positive_from are", e.Negative != nil || e.Positive != nil || e.PositiveFrom != nil,
			registry.Binary},
		{"classes and rows_per_class are", e.Classes != nil || e.RowsPerClass != 0, registry.Multiclass},
		{"target_range is", e.TargetRange != nil, registry.Regression},
	} {
		if keys.given && e.Task != keys.task {
			return fmt.Errorf("%s for task = %q, not %q", keys.names, keys.task, e.Task)
		}
	}
	return nil
}

// checkTarget looks at the keys that say what the target is.
func (e *Entry) checkTarget() error {
	binary := e.Task == registry.Binary
	switch {
	case e.PositiveFrom != nil && (e.Negative != nil || e.Positive != nil):
		return fmt.Errorf("give positive_from or the lists positive and negative, not both")
	case e.PositiveFrom != nil && (math.IsNaN(*e.PositiveFrom) || math.IsInf(*e.PositiveFrom, 0)):
		return fmt.Errorf("positive_from = %v is not a finite number; write one", *e.PositiveFrom)
	case len(e.Positive) == 0 && len(e.Negative) > 0:
		return fmt.Errorf("negative without positive; list the labels of +1 in positive")
	case e.Counts != nil && (binary && len(e.Counts) != 2 || len(e.Classes) > 0 && len(e.Counts) != len(e.Classes)):
		return fmt.Errorf("counts = %v has %d numbers; write one for each class: two for task = \"binary\", the "+
			"first of class -1", e.Counts, len(e.Counts))
	case e.TargetRange != nil && !ascendingPair(e.TargetRange):
		return fmt.Errorf("target_range = %v must be two finite numbers, the smaller first, e.g. [-1.0, 1.0]",
			e.TargetRange)
	case e.RowsPerClass < 0 || e.RowsPerClass > 0 && e.Label != nil:
		return fmt.Errorf("rows_per_class = %d must be positive and label must be absent", e.RowsPerClass)
	case e.FileFormat().Takes("label") && e.RowsPerClass == 0 && e.Label == nil:
		return fmt.Errorf("the target column is not given; write label = \"its name\", or label = -1 for the last " +
			"column")
	}
	return nil
}

// checkLabels looks for labels that are listed twice.
func (e *Entry) checkLabels() error {
	seen := map[string]bool{}
	for _, l := range slices.Concat(e.Negative, e.Positive, e.Classes) {
		c := CanonicalLabel([]byte(l))
		if seen[c] {
			return fmt.Errorf("label %q is listed twice", l)
		}
		seen[c] = true
	}
	return nil
}

// ascendingPair reports whether r can be the range of a target.
func ascendingPair(r []float64) bool {
	return len(r) == 2 && r[0] < r[1] && !math.IsInf(r[0], 0) && !math.IsInf(r[1], 0)
}

// ClassNames returns the names of the classes as far as the entry tells them without
// its files: of -1 and +1, or of 0..K-1. Nil means that the labels in the file are
// the names; datasets.Set.Labels has them.
func (e *Entry) ClassNames() []string {
	switch {
	case e.PositiveFrom != nil:
		bound := strconv.FormatFloat(*e.PositiveFrom, 'g', -1, 64)
		return []string{"< " + bound, ">= " + bound}
	case len(e.Positive) > 0 && len(e.Negative) > 0:
		return []string{strings.Join(CanonicalLabels(e.Negative), ","), strings.Join(CanonicalLabels(e.Positive), ",")}
	case len(e.Positive) > 0:
		positive := strings.Join(CanonicalLabels(e.Positive), ",")
		return []string{"not " + positive, positive}
	case e.RowsPerClass > 0 && e.Classes != nil:
		return slices.Clone(e.Classes)
	}
	return CanonicalLabels(e.Classes)
}

// Folded returns a text in lower case, with one blank for each run of blanks, as the key fold compares texts.
func Folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// CanonicalLabel returns the form in which labels are compared: numbers in their shortest decimal form, so that "+1",
// "1" and "1.0" are equal, other text as it is. Whole numbers that no floating-point number equals keep all their
// digits.
func CanonicalLabel(text []byte) string {
	if v, ok := wording.ParseDecimal(text); ok {
		if exact := new(big.Rat); math.Abs(v) >= 1<<53 {
			_, ok := exact.SetString(string(text))
			if ok && exact.IsInt() && exact.Cmp(new(big.Rat).SetFloat64(v)) != 0 {
				return exact.Num().String()
			}
		}
		if v == 0 {
			v = 0 // -0 and 0 are one label
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.TrimSpace(string(text))
}

// CanonicalLabels returns the CanonicalLabel of each label of a list.
func CanonicalLabels(list Texts) []string {
	var out []string
	for _, l := range list {
		out = append(out, CanonicalLabel([]byte(l)))
	}
	return out
}

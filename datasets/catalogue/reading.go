package catalogue

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// The formats of a Reading.
const (
	CSV     = "csv"
	Blank   = "blank"
	LIBSVM  = "libsvm"
	ARFF    = "arff"
	Parquet = "parquet"
)

var formatByExtension = map[string]string{
	".csv": CSV, ".tsv": CSV, ".tab": CSV,
	".arff":    ARFF,
	".parquet": Parquet, ".pq": Parquet,
	".libsvm": LIBSVM, ".svm": LIBSVM, ".svmlight": LIBSVM,
}

// complete fills in the defaults, so that equal readings are equal values.
func (e *Entry) complete() error {
	ext := e.DataFiles()[0].extension()
	if e.Format == "" {
		e.Format = formatByExtension[ext]
	}
	if e.Format == CSV && e.Separator == "" {
		e.Separator = ","
		if ext == ".tsv" || ext == ".tab" {
			e.Separator = "\t"
		}
	}
	if e.Separator == "tab" {
		e.Separator = "\t"
	}
	if e.Header == nil {
		byName := e.Label != nil && e.Label.Name != "" && e.Columns == nil
		e.Header = &byName
	}
	if e.Decimal == "." {
		e.Decimal = ""
	}
	if e.MissingAs == "" && (len(e.Missing) > 0 || e.Impute != "") {
		e.MissingAs = "level"
	}
	if e.MissingAs != "" && e.Missing.IsZero() {
		e.Missing = Marks{""}
		if e.Format == ARFF {
			e.Missing = Marks{"?"}
		}
	}
	if e.Columns == nil {
		return nil
	}
	if e.Label != nil {
		label := e.numbered(*e.Label)
		e.Label = &label
	}
	var err error
	if e.Drop, err = e.numberedList(e.Drop); err == nil {
		e.Categorical, err = e.numberedList(e.Categorical)
	}
	if err != nil {
		return fmt.Errorf("set %s: %w", e.Name, err)
	}
	return nil
}

func (e *Entry) checkReading() error {
	if err := e.checkFormat(); err != nil {
		return fmt.Errorf("set %s: %w", e.Name, err)
	}
	if err := e.checkTarget(); err != nil {
		return fmt.Errorf("set %s: %w", e.Name, err)
	}
	return nil
}

func (e *Entry) checkFormat() error {
	textual := e.Format == CSV || e.Format == Blank
	switch {
	case e.Format == "":
		return fmt.Errorf("the format of %s is not clear from its name; write format = \"csv\", \"blank\", \"libsvm\", \"arff\" or \"parquet\"", e.DataFiles()[0].Path)
	case !textual && e.Format != LIBSVM && e.Format != ARFF && e.Format != Parquet:
		return fmt.Errorf("format %q is not csv, blank, libsvm, arff or parquet", e.Format)
	case !textual && e.Format != LIBSVM && slices.ContainsFunc(e.Files, func(f File) bool { return f.FirstRows > 0 }):
		return fmt.Errorf("first_rows is for format csv, blank and libsvm, whose rows are lines, not %s", e.Format)
	case e.Format != CSV && e.Separator != "":
		return fmt.Errorf("separator %q is for format csv only, not %s", e.Separator, e.Format)
	case e.Format == CSV && (len(e.Separator) != 1 || strings.ContainsAny(e.Separator, "\"\r\n ")):
		return fmt.Errorf("separator %q is not one character such as \",\", \";\" or \"tab\"; for columns separated by blanks write format = \"blank\"", e.Separator)
	case !textual && (*e.Header && e.Format == LIBSVM || e.Columns != nil):
		return fmt.Errorf("header and columns are for format csv and blank only, not %s", e.Format)
	case *e.Header && e.Columns != nil:
		return fmt.Errorf("columns names the columns of a file without a header; remove columns or header = true")
	case e.Format == LIBSVM && (e.Label != nil || e.Drop != nil || e.Categorical != nil):
		return fmt.Errorf("label, drop and categorical are not for libsvm files, whose label comes first and whose inputs are numbers")
	case e.MissingAs != "" && e.MissingAs != "zero" && e.MissingAs != "level":
		return fmt.Errorf("missing_as = %q is not \"zero\" or \"level\"", e.MissingAs)
	case e.Impute != "" && !slices.Contains(imputations, e.Impute):
		return fmt.Errorf("impute = %q is not one of \"%s\"%s", e.Impute, strings.Join(imputations, "\", \""), Meant(e.Impute, imputations))
	case e.Indicator && e.Impute == "":
		return fmt.Errorf("indicator = true says where numbers are missing; write impute = \"median\" too, or another way to fill them in")
	case e.Decimal != "" && e.Decimal != ",":
		return fmt.Errorf("decimal = %q is not \".\" or \",\"", e.Decimal)
	case e.Decimal != "" && !textual:
		return fmt.Errorf("decimal = \",\" is for format csv and blank only, not %s", e.Format)
	}
	return nil
}

// imputations are the values of the key impute, as package datasets names them.
var imputations = []string{"median", "mean", "most-frequent", "none"}

// Meant returns the end of an error about an unknown name: the question "did you mean ...?" with that known name, one of all, whose
// spelling is nearest to name. It returns "" if no known name is near.
func Meant(name string, all []string) string {
	if near := wording.Suggest(name, all); near != nil {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}

func (e *Entry) checkTarget() error {
	binary, multiclass := e.Task == registry.Binary, e.Task == registry.Multiclass
	switch {
	case !binary && (e.Negative != nil || e.Positive != nil || e.PositiveFrom != nil):
		return fmt.Errorf("negative, positive and positive_from are for task = \"binary\", not %q", e.Task)
	case e.PositiveFrom != nil && (e.Negative != nil || e.Positive != nil):
		return fmt.Errorf("give positive_from or the lists positive and negative, not both")
	case e.PositiveFrom != nil && (math.IsNaN(*e.PositiveFrom) || math.IsInf(*e.PositiveFrom, 0)):
		return fmt.Errorf("positive_from = %v is not a finite number; write one", *e.PositiveFrom)
	case len(e.Positive) == 0 && len(e.Negative) > 0:
		return fmt.Errorf("negative without positive; list the labels of +1 in positive")
	case !multiclass && (e.Classes != nil || e.RowsPerClass != 0):
		return fmt.Errorf("classes and rows_per_class are for task = \"multiclass\", not %q", e.Task)
	case e.Counts != nil && (binary && len(e.Counts) != 2 || len(e.Classes) > 0 && len(e.Counts) != len(e.Classes)):
		return fmt.Errorf("counts = %v has %d numbers; write one for each class: two for task = \"binary\", the first of class -1", e.Counts, len(e.Counts))
	case e.TargetRange != nil && e.Task != registry.Regression:
		return fmt.Errorf("target_range is for task = \"regression\", not %q", e.Task)
	case e.TargetRange != nil && !ascendingPair(e.TargetRange):
		return fmt.Errorf("target_range = %v must be two finite numbers, the smaller first, e.g. [-1.0, 1.0]", e.TargetRange)
	case e.RowsPerClass < 0 || e.RowsPerClass > 0 && e.Label != nil:
		return fmt.Errorf("rows_per_class = %d must be positive and stands instead of label", e.RowsPerClass)
	case e.Format != LIBSVM && e.RowsPerClass == 0 && e.Label == nil:
		return fmt.Errorf("the target column is not given; write label = \"its name\", or label = -1 for the last column")
	}
	seen := map[string]bool{}
	for _, list := range []Texts{e.Negative, e.Positive, e.Classes} {
		for _, l := range list {
			if c := CanonicalLabel([]byte(l)); seen[c] {
				return fmt.Errorf("label %q is listed twice", l)
			} else {
				seen[c] = true
			}
		}
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

// CanonicalLabel returns the form in which labels are compared: numbers in their
// shortest decimal form, so that "+1", "1" and "1.0" are equal, other text as it is.
func CanonicalLabel(text []byte) string {
	if v, ok := wording.ParseDecimal(text); ok {
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

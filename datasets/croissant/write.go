package croissant

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/registry"
)

// frame is what all descriptions share: the context of the specification, and the names of the parts of a split.
//
//go:embed frame.json
var frame []byte

// A column is a column of the CSV file. The column of a split has no type.
type column struct {
	name  string
	types []string
	text  func(row int) string // "" for a missing value
}

// Write writes a set as a CSV file of this name, and a description of it. Each split becomes a column, called split_1
// and so on. What the specification asks for and the catalogue does not know is left out, and returned.
func Write(e *catalogue.Entry, set *datasets.Set, file string, splits []datasets.Division) (description, rows []byte,
	unknown []string, err error) {
	columns := columnsOf(e, set)
	for k, s := range splits {
		sides := make([]string, len(set.Y))
		for side, numbers := range map[string][]int{"train": s.Train, "test": s.Test} {
			for _, row := range numbers {
				sides[row] = side
			}
		}
		columns = append(columns, column{fmt.Sprintf("split_%d", k+1), nil, func(i int) string { return sides[i] }})
	}
	var fields []object
	var data bytes.Buffer // which takes everything
	w, line := csv.NewWriter(&data), make([]string, len(columns))
	for k, c := range columns {
		line[k] = c.name
		for n := 2; slices.Contains(line[:k], line[k]); n++ {
			line[k] = fmt.Sprintf("%s_%d", c.name, n)
		}
		f := object{"@type": "cr:Field", "@id": "rows/" + url.PathEscape(line[k]), "name": line[k], "dataType": c.types,
			"source": object{"fileObject": object{"@id": file}, "extract": object{"column": line[k]}}}
		if c.types == nil { // mlcroissant 1.1.1 reads references in this form alone
			f["dataType"], f["references"] = "sc:Text", object{"field": object{"@id": "splits/name"}}
		}
		fields = append(fields, f)
	}
	_ = w.Write(line)
	for i := range set.Y {
		for k, c := range columns {
			line[k] = c.text(i)
		}
		_ = w.Write(line)
	}
	w.Flush()
	doc := object{}
	if err := strictjson.Unmarshal(frame, &doc); err != nil {
		return nil, nil, nil, err
	}
	doc["recordSet"] = append(doc["recordSet"].([]any), object{"@type": "cr:RecordSet", "@id": "rows", "name": "rows",
		"field": fields})
	doc["distribution"] = []object{{"@type": "cr:FileObject", "@id": file, "name": file,
		"contentUrl": url.PathEscape(file), "encodingFormat": "text/csv",
		"contentSize": fmt.Sprintf("%d B", data.Len()),
		"sha256":      catalogue.Checksum(data.Bytes())}}
	unknown = about(e, set, doc)
	description, err = json.MarshalIndent(doc, "", "  ")
	return append(description, '\n'), data.Bytes(), unknown, err
}

// columnsOf returns the label, the groups and the inputs of a set. A column of categories is one again, and so is
// one of dates.
func columnsOf(e *catalogue.Entry, set *datasets.Set) []column {
	label := column{"label", []string{"sc:Text", "cr:Label"}, func(i int) string { return set.Labels[int(set.Y[i])] }}
	switch {
	case set.Task == registry.Regression:
		label.types, label.text = []string{"sc:Float", "cr:Label"}, func(i int) string { return decimal(set.Y[i]) }
	case set.Task == registry.Binary && joined(set):
		label.types, label.text = []string{"sc:Integer", "cr:Label"}, func(i int) string { return decimal(set.Y[i]) }
	case set.Task == registry.Binary:
		label.text = func(i int) string { return set.Labels[int(set.Y[i]+1)/2] }
	}
	if e.Label != nil && e.Label.Name != "" {
		label.name = e.Label.Name
	}
	out := []column{label}
	if g := set.Groups; g != nil {
		out = append(out, column{g.Column, []string{"sc:Text"}, func(i int) string { return g.Names[g.Of[i]] }})
	}
	for next := 0; next < len(set.Features); next++ {
		j := next // of the column, as next goes on to the last of its features
		c := column{set.Features[j], []string{"sc:Integer"}, func(i int) string { return decimal(set.X.At(i, j)) }}
		for i := range set.Y {
			if v := set.X.At(i, j); v == v && v != math.Trunc(v) {
				c.types = []string{"sc:Float"}
			}
		}
		k := slices.IndexFunc(set.Categories, func(b registry.Block) bool { return b.From == j })
		switch {
		case k >= 0:
			b := set.Categories[k]
			c = column{b.Name, []string{"sc:Text"}, func(i int) string {
				at := slices.Index(set.X.RawRowView(i)[b.From:b.To], 1)
				if at < 0 || slices.Contains(e.Missing, set.Features[b.From+at][len(b.Name)+1:]) {
					return ""
				}
				return set.Features[b.From+at][len(b.Name)+1:]
			}}
			next = b.To - 1
		case slices.Contains(set.Dates, j):
			c = column{strings.TrimSuffix(c.name, read.DateParts[0]), []string{"sc:DateTime"}, func(i int) string {
				if days := set.X.At(i, j); days == days { // since 1970, here to the microsecond
					return time.UnixMicro(int64(math.Round(days * 86400e6))).UTC().Format("2006-01-02T15:04:05.999999")
				}
				return ""
			}}
			next += len(read.DateParts) - 1
		}
		out = append(out, c)
	}
	return out
}

// joined reports whether a class of a binary set has several labels, so that the classes are written as -1 and 1.
func joined(set *datasets.Set) bool { return strings.Contains(strings.Join(set.Labels, ""), ",") }

// decimal writes a number with its shortest decimals, and NaN as "".
func decimal(v float64) string {
	if v != v {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// about adds to a description what is known of the set as a whole, and returns what is not known.
func about(e *catalogue.Entry, set *datasets.Set, doc object) (unknown []string) {
	text := []string{e.Title, "Source: " + e.Source}
	if set.Task == registry.Binary {
		text = append(text, fmt.Sprintf("Class -1 has the label %s, and class +1 the label %s", set.Labels[0],
			set.Labels[1]))
	}
	for _, s := range slices.Concat(text, e.Defects, e.Cautions) {
		doc["description"] = strings.TrimSpace(fmt.Sprint(append(words(doc["description"]), "")[0], " ",
			strings.TrimSuffix(s, "."), "."))
	}
	doc["name"] = e.Name
	known := map[string]string{"citeAs": e.Citation, "license": "", "url": "", "creator": "", "datePublished": "",
		"version": ""}
	if slices.ContainsFunc(e.Files, e.Embedded) {
		known["license"] = "https://creativecommons.org/licenses/by/4.0/" // as datasets/LICENSES.md says
	}
	var number int
	if _, err := fmt.Sscanf(e.Source, "UCI %d", &number); err == nil {
		known["url"] = fmt.Sprintf("https://archive.ics.uci.edu/dataset/%d", number)
	} else if _, err := fmt.Sscanf(e.Source, "OpenML data set %d", &number); err == nil {
		known["url"] = fmt.Sprintf("https://www.openml.org/d/%d", number)
	} else if strings.HasPrefix(e.Source, "http") {
		known["url"] = e.Source
	}
	for name, value := range known {
		if value == "" {
			unknown = append(unknown, name)
		} else {
			doc[name] = value
		}
	}
	slices.Sort(unknown)
	return unknown
}

package catalogue

import (
	"slices"
	"strings"
)

// A Format is what descriptions know of a format of data files, which package read reads.
type Format struct {
	Name string // as descriptions write it
	// The extensions of file names, such as ".csv", in lower case. The description of a file with another extension
	// must name the format.
	Extensions []string
	Keys       []string // the keys of a description that this format takes, without those that every format takes
	Missing    string   // the usual text of a missing value
	Sparse     bool     // a row is a label and the numbers that are not 0, so that a file may lack the last features

	// Separator returns the usual separator of a file with this extension. It is nil if the format takes no key
	// separator.
	Separator func(extension string) string
}

// tableKeys are the keys that every format of tables takes.
var tableKeys = []string{"label", "group", "drop", "categorical", "dates", "date_order"}

// Formats are the formats that descriptions may name.
var Formats = []*Format{
	{
		Name: "csv", Extensions: []string{".csv", ".tsv", ".tab"},
		Keys: append([]string{"separator", "header", "columns", "decimal", "thousands", "first_rows"}, tableKeys...),
		Separator: func(extension string) string {
			if extension == ".tsv" || extension == ".tab" {
				return "\t"
			}
			return ","
		},
	},
	{Name: "blank", Keys: append([]string{"header", "columns", "decimal", "thousands", "first_rows"}, tableKeys...)},
	{Name: "libsvm", Extensions: []string{".libsvm", ".svm", ".svmlight"}, Keys: []string{"first_rows"}, Sparse: true},
	{Name: "arff", Extensions: []string{".arff"}, Keys: tableKeys, Missing: "?"},
	{Name: "parquet", Extensions: []string{".parquet", ".pq"}, Keys: append([]string{"thousands"}, tableKeys...)},
}

// FormatNamed returns the format with this name, or nil.
func FormatNamed(name string) *Format {
	return findFormat(func(f *Format) bool { return f.Name == name })
}

// FormatByExtension returns the format of files with this extension, such as ".csv", in lower case, or nil.
func FormatByExtension(extension string) *Format {
	return findFormat(func(f *Format) bool { return slices.Contains(f.Extensions, extension) })
}

func findFormat(matches func(*Format) bool) *Format {
	if i := slices.IndexFunc(Formats, matches); i >= 0 {
		return Formats[i]
	}
	return nil
}

// Takes reports whether Keys has the key. Keys lacks those that every format takes.
func (f *Format) Takes(key string) bool { return slices.Contains(f.Keys, key) }

// FormatNames lists the formats whose Keys have the key, or all formats if the key is "", for a message. The
// conjunction, such as "or", is put before the last name.
func FormatNames(key, conjunction string) string {
	var names []string
	for _, f := range Formats {
		if key == "" || f.Takes(key) {
			names = append(names, f.Name)
		}
	}
	end := len(names) - 1
	if end == 0 {
		return names[0]
	}
	return strings.Join(names[:end], ", ") + " " + conjunction + " " + names[end]
}

// Package croissant reads and writes descriptions of data sets in Croissant, the format of MLCommons, version 1.1
// (http://mlcommons.org/croissant/1.1). Such a description is a file of JSON-LD. It names the files of a data set, and
// the columns of their tables as the fields of record sets.
//
//	croissant.go  the values of JSON-LD
//	add.go        a description becomes one of package catalogue, by package describe
//	write.go      a set becomes a description and a CSV file
//
// Descriptions of versions 0.8 and 1.0 are read, too. What the package does not know in a description is ignored, since
// the format is open to extensions.
package croissant

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// An object is an object of JSON-LD, where one content has several forms.
type object = map[string]any

// objects returns the objects of a list, or the only one, which need not be in a list.
func objects(v any) (out []object) {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	for _, v := range list {
		if o, ok := v.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

// words returns the texts of a list, or the only one: a text itself, the identifier of a reference, the address or the
// name of an object, or a text in English or in the first of its languages.
func words(v any) (out []string) {
	switch v := v.(type) {
	case string:
		out = []string{v}
	case []any:
		for _, v := range v {
			out = append(out, words(v)...)
		}
	case object:
		if v["field"] != nil { // a reference to a field
			return words(v["field"])
		}
		for _, key := range slices.Concat([]string{"@id", "@value", "url", "name", "en"}, slices.Sorted(maps.Keys(v))) {
			if text, ok := v[key].(string); ok {
				return []string{text}
			}
		}
	}
	return out
}

// word is the first of words, or "".
func word(v any) string { return append(words(v), "")[0] }

// id returns what a part is called. Version 0.8 has names in place of identifiers.
func id(part object) string { return cmp.Or(word(part["@id"]), word(part["name"])) }

// last is the end of an address, which tells a type with any prefix.
func last(address string) string { return address[strings.LastIndexAny(address, ":/#")+1:] }

// is reports whether a part has one of these data types.
func is(part object, types ...string) bool {
	return slices.ContainsFunc(words(part["dataType"]), func(t string) bool { return slices.Contains(types, last(t)) })
}

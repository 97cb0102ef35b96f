package wording

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// UnknownTOMLKey says on one line that a file has a key which v, what it is decoded into, has not: what may
// have been meant, or where the keys are listed.
func UnknownTOMLKey(key string, v any, listed string) string {
	table := key[:strings.LastIndex(key, ".")+1]
	var others []string // keys of the same table
	for _, k := range TOMLKeys(v) {
		if name, ok := strings.CutPrefix(k, table); ok && !strings.Contains(name, ".") {
			others = append(others, name)
		}
	}
	if meant := Suggest(strings.TrimPrefix(key, table), others); meant != nil {
		return fmt.Sprintf("unknown key %q; did you mean %s?", key, strings.Join(meant, " or "))
	}
	return fmt.Sprintf("unknown key %q; the keys are listed in %s", key, listed)
}

// TOMLKeys lists the keys that a struct has by its toml tags, sorted, those of its tables with a dot.
func TOMLKeys(v any) []string {
	keys := keysOf(reflect.TypeOf(v), "")
	slices.Sort(keys)
	return slices.Compact(keys)
}

func keysOf(t reflect.Type, prefix string) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case f.Anonymous && name == "":
			keys = append(keys, keysOf(f.Type, prefix)...)
		case !f.IsExported() || name == "-" || name == "":
		default:
			keys = append(append(keys, prefix+name), keysOf(f.Type, prefix+name+".")...)
		}
	}
	return keys
}

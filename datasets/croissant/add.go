package croissant

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/describe"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/files"
)

// Options say how a description is read. Label, Drop and Group name fields, by identifier, name or column. If Label is
// "", the label is the field of type cr:Label.
type Options struct {
	describe.Options
	RecordSet string // "" takes the only record set whose fields are columns of a file
}

// most bounds a description.
const most = 64 << 20

// Describe reads a description whose data file is on this machine, and finds out how the file is read. The description
// of package catalogue that it returns is to be written to the folder dir, as NAME.toml.
func Describe(ctx context.Context, file, dir string, o Options) (d *describe.Description, name string, err error) {
	raw, err := files.Read(file, most)
	if err != nil {
		return nil, "", err
	}
	var doc object
	if err := strictjson.UnmarshalOpen(bytes.TrimPrefix(raw, []byte("\ufeff")), &doc); err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	name = strings.ReplaceAll(cmp.Or(word(doc["name"]), catalogue.SetName(file)), "/", "-")
	o.Known = &describe.Known{By: "bench data add " + filepath.Base(file), Name: catalogue.SetName(name + ".csv")}
	for o.Taken != nil && o.Taken(o.Known.Name) {
		o.Known.Name += "-own"
	}
	title, _, _ := strings.Cut(strings.TrimSpace(word(doc["description"])), "\n")
	for _, key := range [][2]string{{"title", title}, {"source", word(doc["url"])}, {"citation", word(doc["citeAs"])}} {
		if key[1] != "" {
			o.Known.Keys = append(o.Known.Keys, key)
		}
	}
	at, notes, err := o.find(doc)
	if err == nil {
		at, err = local(doc, at, file, read.MemoryLimit(o.Memory))
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	o.TOML = filepath.Join(dir, o.Known.Name+".toml")
	if d, err = describe.File(ctx, at, o.Options); err == nil {
		d.Notes = append(notes, d.Notes...)
	}
	return d, o.Known.Name, err
}

// find returns the file that has the columns of the record set. It puts columns in the place of the fields that the
// options name.
func (o *Options) find(doc object) (from string, notes []string, err error) {
	set, err := o.chosen(doc)
	if err != nil {
		return "", nil, err
	}
	var labels, odd, splits []string
	asked := slices.Concat(o.Drop, []string{o.Label, o.Group, ""})
	for _, f := range objects(set["field"]) {
		file, column, plain := columnOf(f)
		called := func(name string) bool {
			return name == "" || name == id(f) || name == word(f["name"]) || name == column
		}
		switch {
		case slices.ContainsFunc(o.Drop, called):
			plain = false
		case !plain || file != cmp.Or(from, file):
			odd, plain = append(odd, id(f)), false
		case isSplit(doc, f):
			splits, plain = append(splits, column), false
		case o.Label != "" && called(o.Label) || o.Label == "" && is(f, "Label"):
			labels = append(labels, column)
		case o.Group != "" && called(o.Group):
			o.Group = column
		case is(f, "Text"):
			o.Known.Texts = append(o.Known.Texts, column)
		}
		if plain {
			from, o.Known.Columns = cmp.Or(from, file), append(o.Known.Columns, column)
		}
		asked = slices.DeleteFunc(asked, called)
	}
	columns := strings.Join(o.Known.Columns[:min(20, len(o.Known.Columns))], ", ")
	switch {
	case from == "":
		return "", nil, fmt.Errorf("no field of %s is a column of a file (cr:FileObject)", id(set))
	case len(asked) > 0:
		return "", nil, fmt.Errorf("%s has no field %q; the columns begin with %s", id(set), asked[0], columns)
	case odd != nil:
		return "", nil, fmt.Errorf("only columns of the file %s are read; leave the other fields out with --drop %s",
			from, strings.Join(odd, ","))
	case len(labels) != 1:
		return "", nil, fmt.Errorf("%d fields are marked as the label (cr:Label); choose one with --label; the "+
			"columns begin with %s", len(labels), columns)
	case splits != nil:
		notes = []string{"left out, since they say which rows are in which part of a split: " +
			strings.Join(splits, ", ")}
	}
	o.Label, o.Drop = labels[0], nil // what is no column of the set is left out
	return from, notes, nil
}

// columnOf returns the column of a field, and whether the values of the field are those of the column.
func columnOf(f object) (file, column string, plain bool) {
	source := append(objects(f["source"]), nil)[0]
	column = word(append(objects(source["extract"]), nil)[0]["column"])
	file = cmp.Or(word(source["fileObject"]), word(source["distribution"]))
	return file, column, file != "" && column != "" && source["transform"] == nil && source["format"] == nil &&
		f["subField"] == nil && f["repeated"] != true && f["isArray"] != true
}

// wikidataSplit is the type of splits before version 1.1.
const wikidataSplit = "Q3985153"

// isSplit reports whether a field has the names of parts of splits: it or the record set to which it refers says so.
func isSplit(doc, f object) bool {
	return is(f, "Split", wikidataSplit) || slices.ContainsFunc(objects(doc["recordSet"]), func(set object) bool {
		return is(set, "Split", wikidataSplit) && slices.ContainsFunc(objects(set["field"]), func(of object) bool {
			return id(of) == word(f["references"])
		})
	})
}

// chosen returns the record set that is asked for, or the only one whose values are in a file.
func (o *Options) chosen(doc object) (object, error) {
	var found []object
	var names []string
	for _, set := range objects(doc["recordSet"]) {
		if set["field"] == nil || set["data"] != nil || is(set, "Split", wikidataSplit, "Enumeration") {
			continue
		}
		if o.RecordSet == "" || o.RecordSet == id(set) || o.RecordSet == word(set["name"]) {
			found = append(found, set)
		}
		names = append(names, id(set))
	}
	switch {
	case names == nil:
		return nil, errors.New("this is no Croissant description of a table: no record set has fields of a file")
	case len(found) != 1:
		return nil, fmt.Errorf("choose a record set with --record-set: %s", strings.Join(names, ", "))
	}
	return found[0], nil
}

// local returns the place of a file of the description on this machine. It compares the file's checksum.
func local(doc object, from, description string, limit int64) (string, error) {
	all := objects(doc["distribution"])
	k := slices.IndexFunc(all, func(f object) bool { return id(f) == from })
	if k < 0 {
		return "", fmt.Errorf("the distribution has no file %q, of which the fields are", from)
	}
	address := word(all[k]["contentUrl"])
	origin, at := word(all[k]["containedIn"]), filepath.FromSlash(address)
	if strings.Contains(address, "://") {
		name, _, _ := strings.Cut(address, "?")
		origin, at = address, path.Base(name)
	}
	if !filepath.IsAbs(at) {
		at = filepath.Join(filepath.Dir(description), at)
	}
	data, err := files.Read(at, limit)
	if errors.Is(err, fs.ErrNotExist) && origin != "" {
		return "", fmt.Errorf("the file %s comes from %s; download it to %s first, and run the same command again",
			from, origin, at)
	}
	sum, said := catalogue.Checksum(data), word(all[k]["sha256"])
	if err == nil && said != "" && !strings.EqualFold(said, sum) {
		err = fmt.Errorf("%s has the SHA-256 %s, and the description says %s; get the file that it describes", at, sum,
			said)
	}
	return at, err
}

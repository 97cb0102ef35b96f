package cmd

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// columnKind is the kind of a column in a Parquet file: the narrowest kind that holds every value of the column.
type columnKind int

const (
	nothing columnKind = iota // only NULL; written as text
	integers
	floats
	blobs
	texts // of bytes and other values: hexadecimal digits
)

// kindOf returns the kind that holds kind's values and v.
func kindOf(kind columnKind, v any) columnKind {
	switch v.(type) {
	case nil:
		return kind
	case []byte:
		if kind == nothing || kind == blobs {
			return blobs
		}
	case int64:
		if kind != blobs {
			return max(kind, integers)
		}
	case float64:
		if kind != blobs {
			return max(kind, floats)
		}
	}
	return texts
}

// A parquetFile writes rows whose columns and kinds are known: a Parquet file needs its schema first.
type parquetFile struct {
	w      *parquet.GenericWriter[any]
	row    reflect.Type // a struct of pointers, which are nil for NULL
	kinds  []columnKind
	number int
}

// newParquetFile begins a file. Two columns with the same name are an error: readers would drop one.
func newParquetFile(w io.Writer, names []string, kinds []columnKind) (*parquetFile, error) {
	types := map[columnKind]reflect.Type{
		nothing: reflect.TypeFor[*string](), integers: reflect.TypeFor[*int64](), floats: reflect.TypeFor[*float64](),
		blobs: reflect.TypeFor[*[]byte](), texts: reflect.TypeFor[*string](),
	}
	seen := map[string]bool{}
	var fields []reflect.StructField
	for i, n := range names {
		if seen[n] {
			return nil, usage("two columns are named %s; name them apart with AS for a Parquet file", n)
		}
		if n == "" || strings.Contains(n, ",") {
			return nil, usage("column %q has a comma in its name, or none; name it with AS for a Parquet file", n)
		}
		seen[n] = true
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("C%d", i), Type: types[kinds[i]],
			Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", n+",optional"))})
	}
	row := reflect.StructOf(fields)
	schema := parquet.SchemaOf(reflect.New(row).Interface())
	return &parquetFile{w: parquet.NewGenericWriter[any](w, schema, parquet.Compression(&zstd.Codec{})), row: row,
		kinds: kinds}, nil
}

func (f *parquetFile) add(values []any) error {
	f.number++
	row := reflect.New(f.row)
	for i, v := range values {
		var p any
		switch f.kinds[i] {
		case integers:
			if n, ok := v.(int64); ok {
				p = &n
			}
		case floats:
			switch n := v.(type) {
			case float64:
				p = &n
			case int64:
				x := float64(n)
				p = &x
			}
		case blobs:
			if b, ok := v.([]byte); ok {
				p = &b
			}
		default:
			if v != nil {
				s := plain(v)
				p = &s
			}
		}
		switch {
		case p != nil:
			row.Elem().Field(i).Set(reflect.ValueOf(p))
		case v != nil:
			return fmt.Errorf("row %d: the database changed while it was read; ask again", f.number)
		}
	}
	_, err := f.w.Write([]any{row.Interface()})
	return err
}

func (f *parquetFile) close() error { return f.w.Close() }

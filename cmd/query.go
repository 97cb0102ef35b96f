package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/spf13/cobra"
)

// queryMemory is what a question may take unless --memory says otherwise.
const queryMemory = 1 << 30

func newQueryCommand(a *app) *cobra.Command {
	var output string
	var l *listing
	c := &cobra.Command{
		Use:   `query "SQL"`,
		Short: "Ask the results database a question in SQL, read-only",
		Args:  takes(`"SQL"`),
		RunE: func(c *cobra.Command, args []string) error {
			if output != "" && !c.Flags().Changed("format") {
				var err error
				if l.format, err = formatOf(output, queryFormat, queryEndings); err != nil {
					return err
				}
			}
			db, err := a.reader(c.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			memory := int64(queryMemory)
			if a.limit != "" {
				memory = a.memory
			}
			if err := db.LimitMemory(c.Context(), memory); err != nil {
				return usage("--memory: %w", err)
			}
			defer collectWithin(memory)()
			ctx, stop := a.untilSignal(c.Context())
			defer stop()
			if output == "" {
				err = runQuery(ctx, a, db, args[0], l.format, a.out)
			} else {
				err = a.write(output, func(w io.Writer) error { return runQuery(ctx, a, db, args[0], l.format, w) })
			}
			if ctx.Err() != nil {
				return exitError{exitInterrupted, errors.New("interrupted; the answer is not complete")}
			}
			if path := (*fs.PathError)(nil); errors.As(err, &path) {
				return usageError(err)
			}
			return err
		},
	}
	l = a.listing(c, "parquet")
	a.outputFlag(c, &output, "write to this file, whole or not at all, in the format of its ending "+
		"("+strings.Join(queryEndings, ", ")+"; default standard output)")
	return c
}

// queryEndings are the endings of files for an answer.
var queryEndings = []string{".csv", ".json", ".md", ".parquet", ".txt"}

// queryFormat returns the format for a file's ending, "" if there is none.
func queryFormat(file string) string {
	ending := strings.ToLower(filepath.Ext(file))
	switch {
	case !slices.Contains(queryEndings, ending):
		return ""
	case ending == ".txt":
		return "table"
	}
	return strings.TrimPrefix(ending, ".")
}

// queryParquet runs the query twice: for the kinds of the columns, then for the rows.
func queryParquet(ctx context.Context, db *store.DB, query string, w io.Writer) error {
	var names []string
	var kinds []columnKind
	head := func(columns []string) error {
		names, kinds = columns, make([]columnKind, len(columns))
		return nil
	}
	err := db.Query(ctx, query, head, func(values []any) error {
		for i, v := range values {
			kinds[i] = kindOf(kinds[i], v)
		}
		return nil
	})
	if err != nil {
		return queryError(err)
	}
	file, err := newParquetFile(w, names, kinds)
	if err != nil {
		return err
	}
	if err := db.Query(ctx, query, func([]string) error { return nil }, file.add); err != nil {
		return queryError(err)
	}
	return file.close()
}

func queryError(err error) error {
	if store.IsDamage(err) {
		return exitError{exitIncomplete, err}
	} else if store.IsBusy(err) {
		return err
	}
	return usage("query: %w", err)
}

func runQuery(ctx context.Context, a *app, db *store.DB, query, format string, w io.Writer) error {
	if format == "parquet" {
		if isTerminal(w) {
			return usage("a Parquet file is not text; name one with --output")
		}
		if err := queryParquet(ctx, db, query, w); err != nil {
			return err
		}
		return a.err.noteMixedNames(ctx, db, query)
	}
	var s stream
	// An error of standard output is no error of the query.
	var output error
	kept := func(err error) error {
		output = err
		return err
	}
	err := db.Query(ctx, query, func(names []string) (err error) {
		s, err = newStream(w, format, names)
		if t, ok := s.(*tableStream); ok && w == io.Writer(a.out) {
			t.room = windowWidth(w)
		}
		return kept(err)
	}, func(values []any) error { return kept(s.row(values)) })
	switch {
	case output != nil:
		return output
	case err != nil:
		if s != nil && store.IsDamage(err) {
			err = errors.Join(s.end(), err)
		}
		return queryError(err)
	}
	if err := s.end(); err != nil {
		return err
	}
	return a.err.noteMixedNames(ctx, db, query)
}

var asksForResults = regexp.MustCompile(`(?i)\b(results|evaluations)\b`)

// noteMixedNames lists names whose cells have different data, unless the query distinguishes them.
func (m *messages) noteMixedNames(ctx context.Context, db *store.DB, query string) error {
	if !asksForResults.MatchString(query) || strings.Contains(strings.ToLower(query), "fingerprint") {
		return nil
	}
	names, err := db.DataNames(ctx)
	if err != nil {
		return err
	}
	for i, n := range names {
		if i == 0 || names[i-1].Dataset != n.Dataset {
			continue
		}
		m.say("note: the name %s has several data: %s; the column fingerprint distinguishes them", n.Dataset,
			dataOf(names, n.Dataset))
	}
	return nil
}

// dataOf lists the data behind a name, "6facdf82 (12 cells), 54f96b31 (3 cells)".
func dataOf(names []store.DataName, dataset string) string {
	var parts []string
	for _, n := range names {
		if n.Dataset == dataset {
			parts = append(parts, fmt.Sprintf("%.8s (%s)", n.Fingerprint, plural(n.Cells, "cell")))
		}
	}
	return strings.Join(parts, ", ")
}

func plural(n int, what string) string { return wording.Count(n, what) }

// counted is plural with the verb that goes with the number.
func counted(n int, what, one, several string) string {
	if n == 1 {
		return plural(n, what) + " " + one
	}
	return plural(n, what) + " " + several
}

func isNoDatabase(err error) bool { return errors.Is(err, store.ErrNoDatabase) }

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

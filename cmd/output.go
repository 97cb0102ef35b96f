package cmd

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

var listingFormats = []string{"table", "json", "csv", "md"}

// listing is a table of values on its way to standard output.
type listing struct {
	header []string
	rows   [][]any
}

func (l *listing) add(values ...any) { l.rows = append(l.rows, values) }

// formatFlag adds --format to a command that lists.
func formatFlag(c *cobra.Command, into *string) {
	c.Flags().StringVar(into, "format", "table", strings.Join(listingFormats, ", "))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(listingFormats, cobra.ShellCompDirectiveNoFileComp))
}

func (l *listing) write(w io.Writer, format string) error {
	switch format {
	case "table", "md":
		t := table.NewWriter()
		header := make(table.Row, len(l.header))
		for i, h := range l.header {
			header[i] = h
		}
		t.AppendHeader(header)
		for _, r := range l.rows {
			t.AppendRow(l.cells(r))
		}
		if format == "md" {
			_, err := fmt.Fprintln(w, t.RenderMarkdown())
			return err
		}
		style := table.StyleLight
		style.Options = table.OptionsNoBordersAndSeparators
		style.Options.SeparateHeader = false
		style.Format.Header = text.FormatDefault
		style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
		t.SetStyle(style)
		for line := range strings.Lines(t.Render()) {
			if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		c := csv.NewWriter(w)
		if err := c.Write(l.header); err != nil {
			return err
		}
		for _, r := range l.rows {
			record := make([]string, len(r))
			for i, v := range r {
				record[i] = plain(v)
			}
			if err := c.Write(record); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	case "json":
		return l.writeJSON(w)
	}
	return usage("format %q is not one of %s", format, strings.Join(listingFormats, ", "))
}

func (l *listing) cells(values []any) table.Row {
	row := make(table.Row, len(values))
	for i, v := range values {
		row[i] = plain(v)
		if v == nil {
			row[i] = "-"
		}
	}
	return row
}

// plain writes floats with every digit they need to be read back, no more.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []byte:
		return string(v)
	}
	return fmt.Sprint(v)
}

// writeJSON writes an array of objects whose keys keep the columns' order.
func (l *listing) writeJSON(w io.Writer) error {
	var b strings.Builder
	b.WriteString("[")
	for i, r := range l.rows {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  {")
		for j, v := range r {
			if j > 0 {
				b.WriteString(", ")
			}
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
				v = plain(f) // JSON has no such number
			}
			key, err := json.Marshal(l.header[j])
			if err != nil {
				return err
			}
			value, err := json.Marshal(v)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s: %s", key, value)
		}
		b.WriteString("}")
	}
	b.WriteString("\n]\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// round1 keeps one decimal.
func round1(x float64) float64 { return math.Round(10*x) / 10 }

package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/doc"
)

// SchemaVersion is the version of the JSON form, which the package comment describes.
const SchemaVersion = 2

// ErrNoRecords is the error of CSV for a report that has figures and no records.
var ErrNoRecords = errors.New("this report has no table of numbers; write it as text, a page or a figure")

// CSV writes the first records of a document. Numbers are in the shortest decimal that reads back as the same
// float64; a value that does not exist is empty. If a spreadsheet would read a text as a formula, the text gets a
// quotation mark before it. A document without records is an error.
func CSV(w io.Writer, d doc.Document, _ Options) error {
	out := csv.NewWriter(w)
	for _, b := range d.Clean().Blocks {
		r, ok := b.(doc.Records)
		if !ok {
			continue
		}
		if err := out.Write(wording.SheetCells(r.Columns)); err != nil {
			return err
		}
		for _, row := range r.Rows {
			record := make([]string, len(row))
			for i, v := range row {
				record[i] = csvValue(v)
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	}
	return ErrNoRecords
}

func csvValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case *float64:
		if v == nil {
			return ""
		}
		return csvValue(*v)
	case *int:
		if v == nil {
			return ""
		}
		return strconv.Itoa(*v)
	case string:
		return wording.SheetCell(v)
	case []string:
		return wording.SheetCell(strings.Join(v, " "))
	case []int:
		return strings.Trim(fmt.Sprint(v), "[]")
	}
	return fmt.Sprint(v)
}

// The JSON form. Fields are written in this order; a value that does not exist is null.
type (
	jsonDocument struct {
		SchemaVersion int            `json:"schema_version"`
		Report        string         `json:"report"`
		Title         string         `json:"title"`
		Warnings      []string       `json:"warnings"`
		Notes         []string       `json:"notes"`
		Records       jsonRecords    `json:"records"`
		Commands      []jsonCommand  `json:"commands"`
		Provenance    jsonProvenance `json:"provenance"`
	}
	jsonCommand struct {
		Title string `json:"title"`
		Text  string `json:"text"`
	}
	jsonProvenance struct {
		Program      string      `json:"program"`
		ProtocolHash string      `json:"protocol_hash"`
		Database     string      `json:"database"`
		Generated    string      `json:"generated"`
		Command      string      `json:"command"`
		Environment  []string    `json:"environment"`
		Queries      []doc.Query `json:"queries"`
	}

	// jsonRecords is an object of arrays, by the records' names in the document's order. Records of
	// one name are one array. jsonRow is an object in the order of its columns.
	jsonRecords []doc.Records
	jsonRow     struct {
		columns []string
		values  []any
	}
)

// JSON writes all records of a document, its notes and where its numbers come from.
func JSON(w io.Writer, d doc.Document, _ Options) error {
	d = d.Clean()
	out := jsonDocument{SchemaVersion: SchemaVersion, Report: d.Report, Title: d.Title, Warnings: list(d.Warnings),
		Notes:    list(d.Notes),
		Commands: []jsonCommand{}, Provenance: jsonProvenance{d.Program, d.ProtocolHash, d.Database, "", d.Command,
			list(d.Environment), []doc.Query{}}}
	if !d.Generated.IsZero() {
		out.Provenance.Generated = d.Generated.UTC().Format(time.RFC3339)
	}
	for _, q := range d.Queries {
		out.Provenance.Queries = append(out.Provenance.Queries, doc.Query{Title: q.Title,
			SQL: strings.TrimSpace(q.SQL)})
	}
	for _, b := range d.Blocks {
		switch b := b.(type) {
		case doc.Records:
			out.Records = out.Records.add(b)
		case doc.Code:
			out.Commands = append(out.Commands, jsonCommand{b.Title, b.Text})
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func (r jsonRecords) add(b doc.Records) jsonRecords {
	for i, other := range r {
		if other.Name == b.Name {
			r[i].Rows = append(other.Rows[:len(other.Rows):len(other.Rows)], b.Rows...)
			return r
		}
	}
	return append(r, b)
}

// MarshalJSON writes the records under their names.
func (r jsonRecords) MarshalJSON() ([]byte, error) {
	names, tables := []string{}, []any{}
	for _, records := range r {
		rows := []jsonRow{}
		for _, row := range records.Rows {
			rows = append(rows, jsonRow{records.Columns, row})
		}
		names, tables = append(names, records.Name), append(tables, rows)
	}
	return jsonRow{names, tables}.MarshalJSON()
}

// MarshalJSON writes the values under their columns' names.
func (r jsonRow) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteString("{")
	for i, name := range r.columns {
		if i > 0 {
			out.WriteString(",")
		}
		if err := encoder.Encode(name); err != nil {
			return nil, err
		}
		out.WriteString(":")
		if err := encoder.Encode(r.values[i]); err != nil {
			return nil, err
		}
	}
	out.WriteString("}")
	return out.Bytes(), nil
}

// list returns an empty list for nil, so that JSON has an empty array and not null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

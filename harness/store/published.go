package store

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

//go:embed published.csv
var publishedCSV string

// AverageRank stands in the place of the data set where a source prints a
// method's average rank.
const AverageRank = "average rank"

// Published is one cell of a published table, in the unit of its source (the
// tables2 of 2019 and 2020: percent of correct test labels). Std is nil where
// none was printed.
type Published struct {
	Source, Dataset, Method string
	Mean                    float64
	Std                     *float64
}

// publishedRows parses the embedded tables of the papers.
func publishedRows() ([]Published, error) {
	records, err := csv.NewReader(strings.NewReader(publishedCSV)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published.csv: %w", err)
	}
	var rows []Published
	for i, r := range records[1:] {
		p := Published{Source: r[0], Dataset: r[1], Method: r[2]}
		if p.Mean, err = strconv.ParseFloat(r[3], 64); err != nil {
			return nil, fmt.Errorf("published.csv:%d: mean %q is not a number", i+2, r[3])
		}
		if r[4] != "" {
			std, err := strconv.ParseFloat(r[4], 64)
			if err != nil {
				return nil, fmt.Errorf("published.csv:%d: std %q is not a number", i+2, r[4])
			}
			p.Std = &std
		}
		rows = append(rows, p)
	}
	return rows, nil
}

// loadPublished makes the published view equal to the embedded tables; a
// database that already holds them is not written to.
func (db *DB) loadPublished(ctx context.Context) error {
	want, err := publishedRows()
	if err != nil {
		return err
	}
	have, err := db.Published(ctx, "")
	if err != nil {
		return err
	}
	if samePublished(want, have) {
		return nil
	}
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // a no-op after Commit
	if _, err := tx.ExecContext(ctx, `DELETE FROM published_values`); err != nil {
		return err
	}
	for _, p := range want {
		_, err := tx.ExecContext(ctx, `INSERT INTO published_values (source, dataset, method, mean, std) VALUES (?, ?, ?, ?, ?)`,
			p.Source, p.Dataset, p.Method, p.Mean, p.Std)
		if err != nil {
			return fmt.Errorf("published.csv: %s %s %s: %w", p.Source, p.Dataset, p.Method, err)
		}
	}
	if err := sealPublished(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

func samePublished(a, b []Published) bool {
	if len(a) != len(b) {
		return false
	}
	type key struct{ source, dataset, method string }
	type value struct {
		mean, std float64
		hasStd    bool
	}
	of := func(p Published) value {
		if p.Std == nil {
			return value{mean: p.Mean}
		}
		return value{p.Mean, *p.Std, true}
	}
	values := make(map[key]value, len(a))
	for _, p := range a {
		values[key{p.Source, p.Dataset, p.Method}] = of(p)
	}
	for _, p := range b {
		if v, ok := values[key{p.Source, p.Dataset, p.Method}]; !ok || v != of(p) {
			return false
		}
	}
	return true
}

// Published returns the published values of one source, or of all if source is
// empty, sorted by source, data set and method.
func (db *DB) Published(ctx context.Context, source string) ([]Published, error) {
	rows, err := db.sql.QueryContext(ctx, `SELECT source, dataset, method, mean, std FROM published_values
		WHERE ?1 = '' OR source = ?1 ORDER BY source, dataset, method`, source)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Published
	for rows.Next() {
		var p Published
		if err := rows.Scan(&p.Source, &p.Dataset, &p.Method, &p.Mean, &p.Std); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

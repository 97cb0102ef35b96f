package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/registry"
)

// Comparisons returns the registered comparisons, those of one protocol or for "" all, in the order of their times.
// Each says which result of its method is older, if there is one.
func (db *DB) Comparisons(ctx context.Context, protocol string) ([]result.Comparison, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	all, err := comparisons(ctx, db.sql)
	all = slices.DeleteFunc(all, func(c result.Comparison) bool {
		return protocol != "" && c.Protocol.ID != protocol
	})
	for i, c := range all {
		if err == nil {
			all[i].Earlier, err = earlier(ctx, db.sql, c, timeText(c))
		}
	}
	return all, err
}

func comparisons(ctx context.Context, q queryer) (out []result.Comparison, err error) {
	stored, err := texts(ctx, q, `SELECT text FROM comparisons ORDER BY created_at, hash`)
	for _, text := range stored {
		c, err := result.ParseComparison(text)
		if err != nil {
			return nil, fmt.Errorf("a registered comparison: %w", err)
		}
		out = append(out, c)
	}
	return out, err
}

// PutComparison stores a comparison, and returns it as it is stored. If the same was asked before, this is the earlier
// one, and nothing is stored. Nothing is stored, too, if the database has a result of the method's version on one of
// the sets, by whatever protocol and split: then the comparison says which.
func (db *DB) PutComparison(ctx context.Context, c result.Comparison) (result.Comparison, error) {
	err := inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		all, err := comparisons(ctx, tx)
		if i := slices.IndexFunc(all, c.Same); i >= 0 {
			c = all[i]
			return err
		}
		if err == nil {
			c.Earlier, err = earlier(ctx, tx, c, afterAll)
		}
		if err != nil || c.Earlier != "" {
			return err
		}
		return sealedComparisons.insert(ctx, tx, "INSERT", c.Hash(), timeText(c), c.Text)
	})
	return c, err
}

// timeText writes the time of a comparison as runs write theirs.
func timeText(c result.Comparison) string { return c.Created.UTC().Format(time.RFC3339Nano) }

// afterAll is after every time.
const afterAll = "9999"

// earlier names the first result of a comparison's method, of the same version and on one of its sets, that began
// before a time; "" for none. A version is the same with other libraries: who upgrades one knows the results already.
// The texts of times have fractions of different lengths, which sort without their last letter.
func earlier(ctx context.Context, q queryer, c result.Comparison, before string) (string, error) {
	version, _ := registry.Libraries(c.Method.Version)
	found, err := texts(ctx, q, `SELECT dataset || ', split ' || split || ', of ' || substr(started_at, 1, 16)
		FROM runs WHERE method = ? AND instr(method_version || ' ', ? || ' ') = 1 AND status = 'ok'
		AND dataset IN (SELECT value FROM json_each(?)) AND rtrim(started_at, 'Z') < rtrim(?, 'Z')
		ORDER BY rtrim(started_at, 'Z') LIMIT 1`, c.Method.ID, version, list(c.Sets()), before)
	return append(found, "")[0], err
}

// list is a list of names or numbers for json_each.
func list(v any) string {
	text, _ := json.Marshal(v) // names and numbers can be written
	return string(text)
}

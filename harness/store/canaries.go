package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"

	"github.com/kernelboosting/bench/harness/result"
)

// insertCanary stores a canary. A stored canary that ended ok stays; a stored canary that failed is replaced.
func insertCanary(ctx context.Context, tx *sql.Tx, r result.Run) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM canaries WHERE key = ? AND status <> 'ok'`, r.Key); err != nil {
		return err
	}
	var p any
	if r.Status == result.OK {
		p = r.Canary.P
	}
	return sealedCanaries.insert(ctx, tx, "INSERT OR IGNORE", r.Key, r.Protocol, r.ProtocolHash, r.Method,
		r.MethodVersion, r.Dataset, r.Fingerprint, r.Split,
		string(r.Status), string(r.Class), r.Error, r.TestRows, value(r.Score.Correct), value(r.Score.RMSE),
		value(r.Score.R2), r.Canary.Constant, p, value(r.TimeoutSeconds), r.StartedAt)
}

// Canaries returns every stored canary by its key, as Keys does for cells.
func (db *DB) Canaries(ctx context.Context) (map[string]Known, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	out := map[string]Known{}
	err := each(ctx, db.sql, `SELECT key, status, coalesce(timeout_seconds, 0.0), checksum FROM canaries`,
		func(r []any) error {
			out[r[0].(string)] = Known{Status: result.Status(r[1].(string)), TimeoutSeconds: r[2].(float64),
				Attempt: r[3].(int64)}
			return nil
		})
	return out, err
}

const canarySecret = "canaries"

// Secret returns the random bytes from which canaries of this database are drawn. The first call of Secret makes
// and stores these bytes. So a program that is killed and started again plans the same canaries, and no method can
// know the secret in advance.
func (db *DB) Secret(ctx context.Context) ([]byte, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	var text string
	err := db.sql.QueryRowContext(ctx, `SELECT value FROM secrets WHERE what = ?`, canarySecret).Scan(&text)
	if err == sql.ErrNoRows {
		fresh := make([]byte, 32)
		rand.Read(fresh)
		err = inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
			if err := sealedSecrets.insert(ctx, tx, "INSERT OR IGNORE", canarySecret,
				hex.EncodeToString(fresh)); err != nil {
				return err
			}
			// another program may have inserted its secret first
			return tx.QueryRowContext(ctx, `SELECT value FROM secrets WHERE what = ?`, canarySecret).Scan(&text)
		})
	}
	if err != nil {
		return nil, explain(err)
	}
	secret, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("database %s: its secret is no hexadecimal number", db.path)
	}
	return secret, nil
}

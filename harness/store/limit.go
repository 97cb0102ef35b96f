package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/kernelboosting/bench/internal/wording"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// LeastQueryMemory is the smallest limit of LimitMemory: every query of results needs this much.
const LeastQueryMemory = 64 << 20

// These divisors give the shares of a query's memory that SQLite and a single value may have. A value exists
// several times on its way out, and so do all values of a row.
const (
	heapShare  = 4
	valueShare = 16
)

// collected holds the limit of the bytes that aggregates may keep, and the bytes that they keep now.
var collected struct{ limit, held atomic.Int64 }

// LimitMemory bounds the memory of the queries of this process, above all of Query. The limit cannot be
// raised again. A query that needs more ends with an error.
func (db *DB) LimitMemory(ctx context.Context, bytes int64) error {
	if bytes < LeastQueryMemory {
		return fmt.Errorf("a query may need %s of memory; allow as much", wording.Bytes(LeastQueryMemory))
	}
	db.memory = bytes
	collected.limit.Store(bytes / heapShare)
	_, err := db.one(ctx, fmt.Sprintf("PRAGMA hard_heap_limit = %d", bytes/heapShare))
	return err
}

// limitValues bounds the values of a connection's statements.
func (db *DB) limitValues(c *sqlite3.SQLiteConn) {
	if db.memory > 0 {
		c.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, int(min(db.memory/valueShare, 1e9)))
	}
}

// errCollected is the error of an aggregate that would hold too much.
var errCollected = errors.New("aggregates of the statement hold too many values")

// collect counts bytes that an aggregate holds until it returns its value.
func collect(bytes int64) error {
	if limit := collected.limit.Load(); collected.held.Add(bytes) > limit && limit > 0 {
		return errCollected
	}
	return nil
}

// beyondMemory adds advice to the error of a query that needed too much memory.
func (db *DB) beyondMemory(err error) error {
	var e sqlite3.Error
	switch {
	case db.memory == 0:
		return err
	case errors.As(err, &e) && e.Code == sqlite3.ErrTooBig:
		return fmt.Errorf("a value is longer than %s, a %dth of the memory that a query may use (%s); select less, or raise --memory",
			wording.Bytes(db.memory/valueShare), valueShare, wording.Bytes(db.memory))
	case errors.As(err, &e) && e.Code == sqlite3.ErrNomem, err != nil && err.Error() == errCollected.Error():
		return fmt.Errorf("the statement needs more memory than it may take (%s); select less, or raise --memory", wording.Bytes(db.memory))
	}
	return err
}

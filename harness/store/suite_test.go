package store_test

import (
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Opened {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "r.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return storetest.Opened{Store: db, Writer: func(e result.Environment) storetest.Writer { return db.NewWriter(e, nil) }}
	})
}

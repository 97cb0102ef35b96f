package store

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/processes"
)

// claims are those of a process that this one plays.
func claims(t *testing.T, db *DB, who claimant) *Claims {
	t.Helper()
	c, err := db.NewClaims()
	if err != nil {
		t.Fatal(err)
	}
	c.me = who
	return c
}

func take(t *testing.T, c *Claims, key string, attempt int64) Claim {
	t.Helper()
	claims, err := c.Take(context.Background(), []Wanted{{Key: key, Attempt: attempt}})
	if err != nil {
		t.Fatal(err)
	}
	return claims[0]
}

// TestClaims: a cell is one run's, until it is stored, given back, or the run is dead.
func TestClaims(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	me := thisProcess()
	other := exec.Command("sleep", "1000") // stands for another run
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	p, known := processes.Of(other.Process.Pid)
	if !known {
		t.Skip("the system does not tell of processes")
	}
	mine, theirs := claims(t, db, me), claims(t, db, claimant{me.host, int64(p.ID), p.Started})
	if c := take(t, theirs, "a", 0); !c.Taken || c.Suspect {
		t.Errorf("a free cell: %+v", c)
	}
	if c := take(t, theirs, "a", 0); !c.Taken || c.Suspect {
		t.Errorf("its own cell: %+v", c)
	}
	if c := take(t, mine, "a", 0); c.Taken || c.By != fmt.Sprintf("process %d", p.ID) {
		t.Errorf("another's cell: %+v", c)
	}
	theirs.Release("a")
	if c := take(t, mine, "a", 0); !c.Taken || c.Suspect {
		t.Errorf("a cell that was given back: %+v", c)
	}
	put(t, db, testRun("a", result.Failed))
	keys, err := db.Keys(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if c := take(t, theirs, "a", 0); c.Taken || c.Stored != result.Failed {
		t.Errorf("a cell that was stored since it was planned: %+v", c)
	}
	if c := take(t, theirs, "a", keys["a"].Attempt); !c.Taken {
		t.Errorf("a cell that is to be run again: %+v", c)
	}
	take(t, theirs, "b", 0)
	_ = other.Process.Kill()
	_ = other.Wait()
	for key, attempt := range map[string]int64{"a": keys["a"].Attempt, "b": 0} {
		if c := take(t, mine, key, attempt); !c.Taken || !c.Suspect {
			t.Errorf("cell %s of a process that is gone: %+v", key, c)
		}
	}
	if err := mine.Close(); err != nil {
		t.Error(err)
	}
	if _, rows := query(t, db, "SELECT count(*) FROM claims"); rows[0][0] != int64(0) {
		t.Errorf("%v claims are left", rows[0][0])
	}
}

// TestClaimsOfOtherMachines expire a minute after the last sign of life, by this machine's own
// count of time.
func TestClaimsOfOtherMachines(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	mine, theirs := claims(t, db, thisProcess()), claims(t, db, claimant{"elsewhere", 1, 1})
	take(t, theirs, "a", 0)
	wait := func(d time.Duration) { // as if so long had passed
		for key, s := range mine.seen {
			s.since = s.since.Add(-d)
			mine.seen[key] = s
		}
	}
	if c := take(t, mine, "a", 0); c.Taken {
		t.Errorf("at first sight: %+v", c)
	}
	wait(expiresAfter - 10*time.Second)
	if c := take(t, mine, "a", 0); c.Taken {
		t.Errorf("before its time: %+v", c)
	}
	if _, err := db.sql.Exec("UPDATE claims SET beat = beat + 1"); err != nil {
		t.Fatal(err)
	}
	wait(time.Hour)
	if c := take(t, mine, "a", 0); c.Taken {
		t.Errorf("after a sign of life: %+v", c)
	}
	wait(expiresAfter)
	if c := take(t, mine, "a", 0); !c.Taken || !c.Suspect {
		t.Errorf("after a minute without one: %+v", c)
	}
}

// TestClaimsOfManyAtOnce: of many that want a cell at the same moment one gets it.
func TestClaimsOfManyAtOnce(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	var all []*Claims
	for i := range 4 {
		all = append(all, claims(t, db, claimant{fmt.Sprint("machine ", i), 1, 1}))
	}
	for n := range 20 {
		var mu sync.Mutex
		var wg sync.WaitGroup
		taken := 0
		for _, c := range all {
			wg.Go(func() {
				claims, err := c.Take(context.Background(), []Wanted{{Key: fmt.Sprint("cell ", n)}})
				mu.Lock()
				defer mu.Unlock()
				if err != nil || !c.tried.IsZero() {
					t.Fatal(err, c.tried)
				}
				if claims[0].Taken {
					taken++
				}
			})
		}
		wg.Wait()
		if taken != 1 {
			t.Fatalf("%d of %d got the cell", taken, len(all))
		}
	}
}

// TestClaimsWithoutTheirDatabase: what cannot be claimed is computed all the same.
func TestClaimsWithoutTheirDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	db := open(t, path)
	c := claims(t, db, thisProcess())
	tx, err := db.sql.Begin()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for _, key := range strings.Fields("a b c d e f g h") { // the first waits, the others do not
		if claim := take(t, c, key, 0); !claim.Taken {
			t.Errorf("%+v", claim)
		}
	}
	t.Logf("eight cells waited for %v", time.Since(start))
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestDeathsAreCounted: a cell that processes died of is left to the end where it is to be spared, and says how many there were.
func TestDeathsAreCounted(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	me := thisProcess()
	if me.host == "" {
		t.Skip("the system does not tell of processes")
	}
	ask := func(started int64, spared bool) Claim {
		t.Helper()
		c := claims(t, db, claimant{me.host, 1 << 30, started}) // no process has that number
		got, err := c.Take(t.Context(), []Wanted{{Key: "a", Spared: spared}})
		if err != nil {
			t.Fatal(err)
		}
		close(c.stop) // it dies: nothing is given back
		return got[0]
	}
	for i, c := range []struct {
		spared bool
		want   Claim
	}{
		{true, Claim{Taken: true}},
		{true, Claim{Suspect: true, Deaths: 1}},
		{true, Claim{Suspect: true, Deaths: 1}}, // who spares it does not die of it
		{false, Claim{Taken: true, Suspect: true, Deaths: 1}},
		{true, Claim{Suspect: true, Deaths: 2}},
		{false, Claim{Taken: true, Suspect: true, Deaths: 2}},
	} {
		if got := ask(int64(i), c.spared); got != c.want {
			t.Errorf("process %d: %+v, want %+v", i, got, c.want)
		}
	}
}

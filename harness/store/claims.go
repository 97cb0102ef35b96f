package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/processes"
)

// Claims says which cells this process is computing, so that several runs on one database share the work. A claim
// ends in the transaction that stores its cell. The claim of an ended process on this machine is free at once. The
// claim of a process on another machine is free after a minute without a heartbeat; no two clocks are compared. A
// claim is a hint: while the database cannot be written, cells are computed without a claim. Claims must be
// closed.
type Claims struct {
	pool *sql.DB
	me   claimant
	stop chan struct{}
	done sync.WaitGroup

	mu    sync.Mutex
	seen  sightings
	tried time.Time // when claiming failed last
}

// A claimant is a process that claims cells. host identifies the machine, the machine's last start and the
// namespace of process numbers; host is "" where the system does not tell these.
type claimant struct {
	host             string
	process, started int64
}

// A sighting is the last heartbeat of another claimant, and the time when this process first saw that heartbeat.
type sighting struct {
	claimant
	beat  int64
	since time.Time
}

// sightings maps the key of a cell, or the number of a run, to a sighting.
type sightings map[string]sighting

// These constants say how often a claimant sends a heartbeat, and how long other claimants wait for one.
const (
	beatEvery    = 10 * time.Second
	expiresAfter = time.Minute
	claimsWait   = 2 * time.Second  // for the database
	claimsPause  = 10 * time.Second // after a failure
)

// A Claim is the answer to a process that wants to compute a cell.
type Claim struct {
	Taken   bool          // this process may compute the cell
	Suspect bool          // an earlier process had taken the cell and ended before the cell did; a Spared cell is then not Taken
	Deaths  int           // the number of such processes
	Stored  result.Status // the status of the cell, if it ended since it was planned
	By      string        // the process that is computing the cell, if another is
}

// NewClaims begins to claim cells of the database in the name of this process.
func (db *DB) NewClaims() (*Claims, error) {
	// Claims have a connection of their own. A claim need not survive a loss of power, but cells must. Both
	// are written to the same log, and after a failed sync the system may lose earlier writes that were not
	// synced. So claims are synced, too.
	other, err := connect(db.path, url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_busy_timeout": {fmt.Sprint(claimsWait.Milliseconds())}, "_txlock": {"immediate"}, "_stmt_cache_size": {"8"},
	})
	if err != nil {
		return nil, err
	}
	other.sql.SetMaxOpenConns(1)
	c := &Claims{pool: other.sql, me: thisProcess(), stop: make(chan struct{}), seen: sightings{}}
	c.done.Go(c.live)
	return c, nil
}

func thisProcess() claimant {
	me := claimant{process: int64(os.Getpid())}
	p, known := processes.Of(os.Getpid())
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	if known && err1 == nil && err2 == nil {
		me.host, me.started = strings.TrimSpace(string(boot))+" "+space, p.Started
	}
	if me.host == "" { // the time tells this process from other processes with the same number
		me.started = time.Now().UnixNano()
	}
	return me
}

func (c *Claims) live() {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-beat.C: // if one heartbeat fails, the next one follows
			_, _ = c.pool.Exec(`UPDATE claims SET beat = beat + 1 WHERE host = ? AND process = ? AND started = ?`, c.me.host, c.me.process, c.me.started)
			_, _ = c.pool.Exec(`UPDATE underway SET beat = beat + 1 WHERE host = ? AND process = ? AND started = ?`, c.me.host, c.me.process, c.me.started)
		}
	}
}

// A Wanted is a cell that a run wants to compute. Attempt is the number that Known had when the cell was planned,
// 0 for none.
type Wanted struct {
	Key     string
	Attempt int64
	Spared  bool // a suspect cell is not taken, since its turn comes later
}

// Take claims cells in one transaction, and returns the answer for each.
func (c *Claims) Take(ctx context.Context, cells []Wanted) ([]Claim, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	claims := make([]Claim, len(cells))
	if c.tried.IsZero() || time.Since(c.tried) >= claimsPause {
		err := inTransaction(ctx, c.pool, func(tx *sql.Tx) (err error) {
			for i, w := range cells {
				if claims[i], err = c.takeOne(ctx, tx, w); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil || !passes(err) {
			c.tried = time.Time{}
			return claims, err
		}
		c.tried = time.Now()
	}
	for i := range claims {
		claims[i] = Claim{Taken: true}
	}
	return claims, nil
}

func (c *Claims) takeOne(ctx context.Context, tx *sql.Tx, w Wanted) (Claim, error) {
	key := w.Key
	var status result.Status
	var checksum int64
	err := tx.QueryRowContext(ctx, `SELECT status, checksum FROM runs WHERE key = ?1 UNION ALL SELECT status, checksum FROM canaries WHERE key = ?1`, key).Scan(&status, &checksum)
	switch {
	case err == nil && checksum != w.Attempt:
		return Claim{Stored: status}, nil
	case err != nil && err != sql.ErrNoRows:
		return Claim{}, err
	}
	claim := Claim{Taken: true}
	var other sighting
	var deaths int
	err = tx.QueryRowContext(ctx, `SELECT host, process, started, beat, deaths FROM claims WHERE key = ?`, key).Scan(&other.host, &other.process, &other.started, &other.beat, &deaths)
	switch {
	case err == sql.ErrNoRows:
	case err != nil:
		return Claim{}, err
	case other.claimant == c.me:
		return claim, nil
	case c.seen.lives(c.me, key, other):
		return Claim{By: fmt.Sprintf("process %d", other.process)}, nil
	default:
		claim.Suspect, claim.Deaths = true, deaths+1
		if w.Spared {
			claim.Taken = false
			return claim, nil
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO claims (key, host, process, started, beat, deaths) VALUES (?, ?, ?, ?, 0, ?)`, key, c.me.host, c.me.process, c.me.started, claim.Deaths)
	return claim, err
}

// lives reports whether another claimant may still be at work.
func (s sightings) lives(me claimant, key string, other sighting) bool {
	if other.host != "" && other.host == me.host {
		return alive(other.claimant)
	}
	last, known := s[key]
	if !known || last.claimant != other.claimant || last.beat != other.beat {
		other.since = time.Now()
		s[key] = other
		return true
	}
	return time.Since(last.since) < expiresAfter
}

func alive(who claimant) bool { return processes.Alive(int(who.process), who.started) }

// Release gives back the claim of a cell that has no result.
func (c *Claims) Release(key string) {
	_, _ = c.pool.Exec(`DELETE FROM claims WHERE key = ? AND host = ? AND process = ? AND started = ?`, key, c.me.host, c.me.process, c.me.started)
}

// Close gives back all remaining claims and removes what Show has stored.
func (c *Claims) Close() error {
	close(c.stop)
	c.done.Wait()
	ctx := context.Background()
	_ = inTransaction(ctx, c.pool, func(tx *sql.Tx) error {
		_ = c.forgetRuns(ctx, tx, false) // without Show the tables are not there
		_, err := tx.Exec(`DELETE FROM claims WHERE host = ? AND process = ? AND started = ?`, c.me.host, c.me.process, c.me.started)
		return err
	})
	return c.pool.Close()
}

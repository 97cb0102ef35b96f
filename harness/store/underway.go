package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/processes"
)

// Progress is what a run says of itself while it is under way, for people who look on.
type Progress struct {
	Machine  string         `json:"machine"` // name of the machine, and process number
	Protocol string         `json:"protocol"`
	Begun    time.Time      `json:"begun"`
	Until    time.Time      `json:"until"`             // when the run will have ended, as it predicts
	Unknown  []string       `json:"unknown,omitempty"` // methods whose time is unknown and not part of Until
	Join     string         `json:"join,omitempty"`    // how to add a worker; "" if the run takes none
	Jobs     int            `json:"jobs"`              // cells at a time on this machine
	Planned  int            `json:"planned"`           // cells
	Ended    int            `json:"ended"`             // of these
	Failed   int            `json:"failed,omitempty"`  // of those that ended
	Left     map[string]int `json:"left,omitempty"`    // cells of each data set without a result, without canaries

	Workers []Worker      `json:"workers,omitempty"` // further processes that compute the run's cells
	Running []RunningCell `json:"running,omitempty"` // the longest first
}

// A Worker is a process, mostly on another machine, that computes cells of a run.
type Worker struct {
	Name   string   `json:"name"`
	Jobs   int      `json:"jobs"`             // cells at a time
	Memory int64    `json:"memory,omitempty"` // bytes that its cells may need together; 0 for any number
	Keys   []string `json:"-"`                // the cells that the worker is known to compute
}

// A RunningCell is a cell that is being computed.
type RunningCell struct {
	Name string `json:"name"`
	// the name of the worker or the run's machine; "" while a worker has not said so
	By    string    `json:"by,omitempty"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"` // predicted; zero if the method's time is unknown
}

// A Registration is this process's place among the runs that are under way on a database. No two of these runs have a
// cell in common, except for canaries. A Registration must be closed.
type Registration struct {
	// Deaths says how many processes died while they were at a cell, for cells that have killed one.
	Deaths map[string]int
	// Elsewhere are the planned canaries that another run computes.
	Elsewhere map[string]bool

	db  *DB
	run int64

	mu    sync.Mutex
	tried time.Time // when Begin failed last
}

// begun has the numbers of this process's registrations. A row of this process without one is left from a try of
// Register whose commit failed and was written all the same.
var begun sync.Map

// A process that runs cells. host identifies the machine, the machine's last start and the namespace of process
// numbers; host is "" where the system does not tell these.
type process struct {
	host        string
	id, started int64
}

// A sighting is the last beat of a run, and the time when this process first saw that beat.
type sighting struct {
	beat  int64
	since time.Time
	moved bool // an earlier beat was another one
}

// sightings remember runs by their numbers.
type sightings map[int64]sighting

// A run on another machine is dead if its beat has not gone up for a minute of this machine's clock, since clocks
// differ. Its process writes more often.
const (
	BeatEvery    = 10 * time.Second // the longest time between two calls of Registration.Write
	expiresAfter = time.Minute
	lookEvery    = time.Second      // at a run on another machine that may be dead
	beginWait    = 2 * time.Second  // for the database
	beginPause   = 10 * time.Second // after a failure
)

// A PlannedCell is a cell that a run is going to compute.
type PlannedCell struct {
	Key    string
	Canary bool // left to another run that has planned it, too
}

// An OverlapError says that a run which is under way has planned some of the same cells.
type OverlapError struct {
	Run   Progress
	Cells int  // in common
	sure  bool // the run is alive; else it may be dead, on another machine
}

func (e *OverlapError) Error() string {
	what := "1 of these cells is"
	if e.Cells > 1 {
		what = fmt.Sprintf("%d of these cells are", e.Cells)
	}
	text := fmt.Sprintf("%s of the run of %s since %s", what, e.Run.Machine,
		e.Run.Begun.Local().Format("2 Jan 15:04:05"))
	if !e.sure {
		text += ", which is dead if it writes nothing for a minute"
	}
	return text
}

// Register begins a run with its planned cells. If another run that is alive has planned one of them, Register
// returns an [OverlapError]. If that run is on another machine, Register waits until it knows whether the run is
// alive, and calls wait first.
func (db *DB) Register(
	ctx context.Context, cells []PlannedCell, first Progress, wait func(error),
) (*Registration, error) {
	// Registrations have a connection of their own, since the writer's may be busy. What is begun need not survive a
	// loss of power, but results must. Both are written to the same log, and after a failed sync the system may lose
	// earlier writes that were not synced. So all writes are synced.
	if err := db.unmoved(); err != nil {
		return nil, err
	}
	other, err := connect(db.path, url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_txlock": {"immediate"}, "_stmt_cache_size": {"8"},
		"_busy_timeout": {fmt.Sprint(beginWait.Milliseconds())},
	})
	if err != nil {
		return nil, err
	}
	other.sql.SetMaxOpenConns(1)
	r := &Registration{db: other}
	for seen := (sightings{}); ; {
		err := r.register(ctx, cells, first, seen)
		var overlap *OverlapError
		if err == nil {
			return r, nil
		}
		begun.Delete(r.run)
		if !errors.As(err, &overlap) || overlap.sure {
			return nil, errors.Join(err, r.db.Close())
		}
		if wait != nil {
			wait(overlap)
			wait = nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), r.db.Close())
		case <-time.After(lookEvery):
		}
	}
}

// register is one try of Register, in one transaction: of two runs that begin at the same moment one sees the other.
func (r *Registration) register(ctx context.Context, cells []PlannedCell, first Progress, seen sightings) error {
	r.Deaths, r.Elsewhere = map[string]int{}, map[string]bool{}
	return inTransaction(ctx, r.db.sql, func(tx *sql.Tx) error {
		runs, err := readRuns(ctx, tx, seen)
		if err != nil {
			return err
		}
		alive := []int64{} // not nil, which would be JSON's null
		for _, other := range runs {
			if other.dead {
				_, err = tx.Exec(`DELETE FROM underway WHERE run = ?;
					DELETE FROM underway_cells WHERE run = ? AND begun + deaths = 0`, other.run, other.run)
			} else {
				alive = append(alive, other.run)
			}
			if err != nil {
				return err
			}
		}
		text, err := json.Marshal(first)
		if err != nil {
			return err
		}
		me := thisProcess()
		res, err := tx.Exec(`INSERT INTO underway (host, process, started, beat, progress) VALUES (?, ?, ?, 0, ?)`,
			me.host, me.id, me.started, string(text))
		if err != nil {
			return err
		}
		if r.run, err = res.LastInsertId(); err != nil {
			return err
		}
		begun.Store(r.run, true)
		return r.take(ctx, tx, cells, runs, alive)
	})
}

// take plans the cells in the name of this run. A cell that a dead run began has one death more.
func (r *Registration) take(
	ctx context.Context, tx *sql.Tx, cells []PlannedCell, runs []underwayRun, alive []int64,
) error {
	keys, canaries := []string{}, map[string]bool{} // keys is not nil, which would be JSON's null
	for _, c := range cells {
		keys = append(keys, c.Key)
		canaries[c.Key] = c.Canary
	}
	those, err1 := json.Marshal(alive)
	these, err2 := json.Marshal(keys)
	common := map[int64]int{}
	err := each(ctx, tx, `SELECT key, run FROM underway_cells WHERE key IN (SELECT value FROM json_each(?))
		AND run IN (SELECT value FROM json_each(?))`, func(row []any) error {
		if key := row[0].(string); canaries[key] {
			r.Elsewhere[key] = true
		} else {
			common[row[1].(int64)]++
		}
		return nil
	}, string(these), string(those))
	if err := errors.Join(err1, err2, err, overlap(runs, common)); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO underway_cells (key, run, begun, deaths)
		SELECT value, ?, 0, 0 FROM json_each(?) WHERE TRUE
		ON CONFLICT (key) DO UPDATE SET run = excluded.run, begun = 0, deaths = deaths + begun
		WHERE run NOT IN (SELECT value FROM json_each(?))`, r.run, string(these), string(those))
	if err != nil {
		return err
	}
	return each(ctx, tx, `SELECT key, deaths FROM underway_cells WHERE run = ? AND deaths > 0`, func(row []any) error {
		r.Deaths[row[0].(string)] = int(row[1].(int64))
		return nil
	}, r.run)
}

// overlap is an error if there are common cells with a run, by its number. Of several runs it names one that is surely
// alive.
func overlap(runs []underwayRun, common map[int64]int) (err error) {
	for _, other := range runs {
		if n := common[other.run]; n > 0 {
			err = &OverlapError{Run: other.Progress, Cells: n, sure: other.sure}
			if other.sure {
				return err
			}
		}
	}
	return err
}

// Begin notes that cells are about to be computed, in one transaction. While the database cannot be written, cells
// begin without a note: then nobody learns that the process died of them.
func (r *Registration) Begin(ctx context.Context, keys []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.tried.IsZero() && time.Since(r.tried) < beginPause {
		return nil
	}
	these, err := json.Marshal(keys)
	if err == nil {
		_, err = r.db.sql.ExecContext(ctx, `UPDATE underway_cells SET begun = 1
			WHERE run = ? AND key IN (SELECT value FROM json_each(?))`, r.run, string(these))
	}
	r.tried = time.Time{}
	if passes(err) {
		r.tried = time.Now()
		return nil
	}
	return explain(err)
}

// Write stores the progress of the run, which is also a sign of life.
func (r *Registration) Write(ctx context.Context, p Progress) error {
	text, err := json.Marshal(p)
	if err == nil {
		_, err = r.db.sql.ExecContext(ctx, `UPDATE underway SET beat = beat + 1, progress = ?
			WHERE run = ?`, string(text), r.run)
	}
	return explain(err)
}

// Close ends the run. The deaths of cells that the run did not store stay known.
func (r *Registration) Close() error {
	defer begun.Delete(r.run)
	ctx := context.Background()
	return errors.Join(inTransaction(ctx, r.db.sql, func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM underway_cells WHERE run = ? AND deaths = 0;
			UPDATE underway_cells SET begun = 0 WHERE run = ?;
			DELETE FROM underway WHERE run = ?`, r.run, r.run, r.run)
		return err
	}), r.db.Close())
}

// An underwayRun is a row of a run. A run that is neither dead nor surely alive is on another machine.
type underwayRun struct {
	run int64
	Progress
	dead, sure bool
}

// readRuns reads the runs that are under way, the earliest first.
func readRuns(ctx context.Context, tx *sql.Tx, seen sightings) (out []underwayRun, err error) {
	me := thisProcess()
	const query = `SELECT run, host, process, started, beat, progress FROM underway ORDER BY run`
	err = each(ctx, tx, query, func(row []any) error {
		u := underwayRun{run: row[0].(int64)}
		if text, ok := row[5].(string); !ok || strictjson.Unmarshal([]byte(text), &u.Progress) != nil {
			u.Progress = Progress{} // it is for people alone, and a text that cannot be read must stop no run
		}
		other := process{row[1].(string), row[2].(int64), row[3].(int64)}
		if other.host != "" && other.host == me.host {
			u.sure = processes.Alive(int(other.id), other.started)
			if other == me {
				_, u.sure = begun.Load(u.run)
			}
			u.dead = !u.sure
		} else {
			s := seen.at(u.run, row[4].(int64))
			u.sure, u.dead = s.moved, time.Since(s.since) >= expiresAfter
		}
		out = append(out, u)
		return nil
	})
	return out, err
}

func (s sightings) at(run, beat int64) sighting {
	last, known := s[run]
	if !known || last.beat != beat {
		last = sighting{beat: beat, since: time.Now(), moved: known}
		s[run] = last
	}
	return last
}

func thisProcess() process {
	me := process{id: int64(os.Getpid())}
	p, known := processes.Of(os.Getpid())
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	if known && err1 == nil && err2 == nil {
		me.host, me.started = strings.TrimSpace(string(boot))+" "+space, p.Started
	}
	return me
}

// A ProgressReader reads the progress of the runs that are under way on a database that is open for reading. It is not
// safe for concurrent use, and must be closed.
type ProgressReader struct {
	conn *sql.Conn // always the same, since data_version counts for one connection only
	seen sightings
	seq  int64
}

// ProgressReader begins to look on.
func (db *DB) ProgressReader(ctx context.Context) (*ProgressReader, error) {
	conn, err := db.sql.Conn(ctx)
	return &ProgressReader{conn: conn, seen: sightings{}}, err
}

// Close ends looking on.
func (p *ProgressReader) Close() error { return p.conn.Close() }

// Changed reports whether anybody has written to the database since Changed was called last. This costs no more than a
// look at the file's first page.
func (p *ProgressReader) Changed(ctx context.Context) (bool, error) {
	was := p.seq
	err := p.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&p.seq)
	return p.seq != was, explain(err)
}

// Read returns the progress of the runs that are under way, the earliest first.
func (p *ProgressReader) Read(ctx context.Context) (out []Progress, err error) {
	tx, err := p.conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, explain(err)
	}
	defer func() { _ = tx.Rollback() }()
	runs, err := readRuns(ctx, tx, p.seen)
	for _, r := range runs {
		if !r.dead {
			out = append(out, r.Progress)
		}
	}
	return out, explain(err)
}

// LastProtocol returns the protocol whose cells ran last; "" where nothing is stored.
func (db *DB) LastProtocol(ctx context.Context) (name string, err error) {
	err = db.sql.QueryRowContext(ctx, `SELECT protocol FROM runs ORDER BY started_at DESC LIMIT 1`).Scan(&name)
	if err == sql.ErrNoRows {
		err = nil
	}
	return name, explain(err)
}

package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Two tables hold the progress of runs, for onlookers ([DB.Onlook]). A run makes these tables when it begins. They
// hold no results, and a database without them is whole, so they are not part of the schema. A run is listed as
// long as its [Claims] are open.
const underwayTables = `CREATE TABLE IF NOT EXISTS underway (
  run      INTEGER PRIMARY KEY,
  host     TEXT NOT NULL,      -- as in claims, and the next three
  process  INTEGER NOT NULL,
  started  INTEGER NOT NULL,
  beat     INTEGER NOT NULL,
  told     TEXT NOT NULL       -- JSON: a Told
) STRICT;
CREATE TABLE IF NOT EXISTS underway_cells (
  run            INTEGER NOT NULL,
  key            TEXT NOT NULL,
  attempt        INTEGER NOT NULL, -- checksum of the stored attempt when the cell was planned; 0 for none
  protocol       TEXT NOT NULL,
  dataset        TEXT NOT NULL,
  method         TEXT NOT NULL,
  method_version TEXT NOT NULL,
  split          INTEGER NOT NULL,
  cost_units     REAL NOT NULL,
  n_train        INTEGER NOT NULL,
  n_features     INTEGER NOT NULL,
  guessed        INTEGER NOT NULL, -- the method declares no cost
  early          INTEGER NOT NULL,
  canary         INTEGER NOT NULL,
  PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID`

// showEvery is the least time between two writes of a run's progress.
const showEvery = time.Second

// Told is what a run says of its progress.
type Told struct {
	Machine string        `json:"machine"` // name of the machine, and process number, for people
	Begun   time.Time     `json:"begun"`
	Places  int           `json:"places"`             // cells at a time, here and on workers
	Jobs    int           `json:"jobs"`               // cells at a time on this machine
	MaxCell time.Duration `json:"max_cell,omitempty"` // cells that are predicted to take longer are skipped; 0 for none
	Ends    time.Time     `json:"ends,omitzero"`      // when the budget is used up
	Workers []Worker      `json:"workers,omitempty"`  // processes beside the run's own that compute its cells
	Running []CellUnder   `json:"running,omitempty"`  // the cells that are being computed
}

// A Worker is a process, mostly on another machine, that computes cells of a run.
type Worker struct {
	Name   string   `json:"name"`
	Jobs   int      `json:"jobs"`             // cells at a time
	Memory int64    `json:"memory,omitempty"` // bytes that its cells may need together; 0 for any number
	Keys   []string `json:"keys,omitempty"`   // the cells that the worker is known to compute
}

// A CellUnder is a cell that is being computed.
type CellUnder struct {
	Key   string    `json:"key"`
	Since time.Time `json:"since"`
	Away  bool      `json:"away,omitempty"` // computed by a worker
}

// A PlannedCell is a cell of a run that is under way, with what its prediction depends on.
type PlannedCell struct {
	Key                                      string
	Attempt                                  int64 // as in Wanted
	Protocol, Dataset, Method, MethodVersion string
	Split                                    int
	CostUnits                                float64
	TrainRows, Features                      int
	Guessed, Early, Canary                   bool

	// Look sets the fields below; Show does not read them. Status is "" for a cell that has not ended since it
	// was planned. Wall and Processor are the seconds of a cell that ended ok.
	Status          string
	Wall, Processor float64
}

// Show writes the plan and the progress of this process to the database until the claims are closed. It calls told
// each second, and writes the answer if that has changed. Progress is a hint, as claims are: if the database
// cannot be written, Show tries again after a pause.
func (c *Claims) Show(plan []PlannedCell, told func() Told) {
	c.done.Go(func() {
		tick := time.NewTicker(showEvery)
		defer tick.Stop()
		last, begun := "", false
		for {
			if text, err := json.Marshal(told()); err == nil && string(text) != last {
				if begun {
					_, err = c.pool.Exec(`UPDATE underway SET told = ? WHERE host = ? AND process = ? AND started = ?`, string(text), c.me.host, c.me.process, c.me.started)
				} else {
					err = c.begin(plan, string(text))
					begun = err == nil
				}
				if err == nil {
					last = string(text)
					tick.Reset(showEvery)
				} else { // the connection is shared with the claims, which had to wait for it
					tick.Reset(claimsPause)
				}
			}
			select {
			case <-c.stop:
				return
			case <-tick.C:
			}
		}
	})
}

// begin stores the plan, and removes what ended processes left behind.
func (c *Claims) begin(plan []PlannedCell, told string) error {
	ctx := context.Background()
	return inTransaction(ctx, c.pool, func(tx *sql.Tx) error {
		if _, err := tx.Exec(underwayTables); err != nil {
			return err
		}
		if err := c.forgetRuns(ctx, tx, true); err != nil {
			return err
		}
		res, err := tx.Exec(`INSERT INTO underway (host, process, started, beat, told) VALUES (?, ?, ?, 0, ?)`, c.me.host, c.me.process, c.me.started, told)
		if err != nil {
			return err
		}
		run, err := res.LastInsertId()
		if err != nil {
			return err
		}
		insert, err := tx.Prepare(`INSERT OR IGNORE INTO underway_cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, p := range plan {
			_, err := insert.Exec(run, p.Key, p.Attempt, p.Protocol, p.Dataset, p.Method, p.MethodVersion, p.Split, p.CostUnits, p.TrainRows, p.Features, p.Guessed, p.Early, p.Canary)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// forgetRuns removes what this process has stored and, with gone, what ended processes of this machine have.
func (c *Claims) forgetRuns(ctx context.Context, tx *sql.Tx, gone bool) error {
	var runs []int64
	err := each(ctx, tx, `SELECT run, host, process, started FROM underway`, func(r []any) error {
		if who := (claimant{r[1].(string), r[2].(int64), r[3].(int64)}); who == c.me || gone && who.host != "" && who.host == c.me.host && !alive(who) {
			runs = append(runs, r[0].(int64))
		}
		return nil
	})
	for _, run := range runs {
		if err == nil {
			_, err = tx.Exec(`DELETE FROM underway_cells WHERE run = ?; DELETE FROM underway WHERE run = ?`, run, run)
		}
	}
	return err
}

// An Underway is a run that is under way.
type Underway struct {
	Process int64
	Told
}

// An Onlooker looks at the runs that are under way on a database that is open for reading. It is not safe for
// concurrent use, and must be closed.
type Onlooker struct {
	conn *sql.Conn // always the same, since data_version counts for one connection only
	me   claimant
	seen sightings
	seq  int64
}

// Onlook begins to look on.
func (db *DB) Onlook(ctx context.Context) (*Onlooker, error) {
	conn, err := db.sql.Conn(ctx)
	return &Onlooker{conn: conn, me: thisProcess(), seen: sightings{}}, err
}

// Close ends looking on.
func (o *Onlooker) Close() error { return o.conn.Close() }

// Changed reports whether anybody has written to the database since Changed was called last. This costs no more than a
// look at the file's first page.
func (o *Onlooker) Changed(ctx context.Context) (bool, error) {
	was := o.seq
	err := o.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&o.seq)
	return o.seq != was, explain(err)
}

// Look returns the runs that are under way, and the cells of their plans. A cell of several plans occurs once.
// Look reads both in one transaction.
func (o *Onlooker) Look(ctx context.Context) (runs []Underway, cells []PlannedCell, err error) {
	tx, err := o.conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, nil, explain(err)
	}
	defer func() { _ = tx.Rollback() }()
	var there int
	if err := tx.QueryRow(`SELECT count(*) FROM sqlite_schema WHERE name = 'underway_cells'`).Scan(&there); err != nil || there == 0 {
		return nil, nil, explain(err)
	}
	var live []int64
	err = each(ctx, tx, `SELECT run, host, process, started, beat, told FROM underway ORDER BY run`, func(r []any) error {
		s := sighting{claimant: claimant{r[1].(string), r[2].(int64), r[3].(int64)}, beat: r[4].(int64)}
		u := Underway{Process: s.process}
		if json.Unmarshal([]byte(r[5].(string)), &u.Told) != nil || !o.seen.lives(o.me, fmt.Sprint(r[0]), s) {
			return nil
		}
		runs, live = append(runs, u), append(live, r[0].(int64))
		return nil
	})
	if err != nil || runs == nil {
		return nil, nil, explain(err)
	}
	these, _ := json.Marshal(live)
	cells, err = listOf(ctx, tx, `SELECT u.key, u.attempt, u.protocol, u.dataset, u.method, u.method_version, u.split, u.cost_units, u.n_train, u.n_features, u.guessed, u.early, u.canary,
		  coalesce(r.status, k.status, ''), coalesce(r.search_seconds + coalesce(r.fit_seconds, 0) + coalesce(r.predict_seconds, 0), 0), coalesce(r.cpu_seconds, 0)
		FROM underway_cells u LEFT JOIN runs r ON r.key = u.key AND r.checksum <> u.attempt
		LEFT JOIN canaries k ON k.key = u.key AND k.checksum <> u.attempt
		WHERE u.run IN (SELECT value FROM json_each(?)) GROUP BY u.key ORDER BY u.protocol, u.dataset, u.method, u.split`, func(c *PlannedCell) []any {
		return []any{&c.Key, &c.Attempt, &c.Protocol, &c.Dataset, &c.Method, &c.MethodVersion, &c.Split, &c.CostUnits, &c.TrainRows, &c.Features, &c.Guessed, &c.Early, &c.Canary,
			&c.Status, &c.Wall, &c.Processor}
	}, string(these))
	return runs, cells, explain(err)
}

// LastProtocol returns the protocol whose cells ran last; "" where nothing is stored.
func (db *DB) LastProtocol(ctx context.Context) (name string, err error) {
	err = db.sql.QueryRowContext(ctx, `SELECT protocol FROM runs ORDER BY started_at DESC LIMIT 1`).Scan(&name)
	if err == sql.ErrNoRows {
		err = nil
	}
	return name, explain(err)
}

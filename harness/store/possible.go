package store

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
)

// A possible says whether cells can end with their stored runs: see protocol.Protocol.Fits. Its
// protocols and its grids are read once for all steps of a check.
type possible struct {
	once      sync.Once
	err       error
	protocols map[[2]string]*protocol.Protocol // by name and hash; only those whose text this program reads
	points    map[string]int                   // of each grid, by its hash
	planned   func(result.Run) error           // DB.Possible
}

// possibleSteps check the runs of spans, and all canaries.
func possibleSteps(spans []span, planned func(result.Run) error) []step {
	p := &possible{planned: planned}
	steps := []step{checkCanaries}
	for _, in := range spans {
		steps = append(steps, func(ctx context.Context, q queryer, report func(Problem)) error {
			return p.check(ctx, q, in, report)
		})
	}
	return steps
}

func (p *possible) read(ctx context.Context, q queryer) error {
	p.protocols, p.points = map[[2]string]*protocol.Protocol{}, map[string]int{}
	var name, hash, text string
	err := scanned(ctx, q, `SELECT name, hash, text FROM protocols`, func(scan func(...any) error) error {
		if err := scan(&name, &hash, &text); err != nil {
			return err
		}
		if own, err := protocol.Parse(name, []byte(text)); err == nil && own.Hash() == hash {
			p.protocols[[2]string{name, hash}] = own
		}
		return nil
	})
	if err != nil {
		return err
	}
	return scanned(ctx, q, `SELECT g.hash, count(*) FROM grids g JOIN grid_points p ON p.grid_id = g.id
		GROUP BY g.id`, func(scan func(...any) error) error {
		var points int
		err := scan(&hash, &points)
		p.points[hash] = points
		return err
	})
}

func (p *possible) check(ctx context.Context, q queryer, in span, report func(Problem)) error {
	if p.once.Do(func() { p.err = p.read(ctx, q) }); p.err != nil {
		return p.err
	}
	of := attempts{"SELECT id FROM runs WHERE id BETWEEN ? AND ?", []any{in.from, in.to - 1}}
	runs, ids, err := readAttempts(ctx, q, of, true)
	for i, r := range runs {
		if err != nil {
			return err
		}
		err = each(ctx, q, `SELECT outputs, data FROM scores WHERE run_id = ?`, func(row []any) (err error) {
			r.Outputs = int(row[0].(int64))
			r.Scores, err = unpackScores(row[1].([]byte))
			return err
		}, ids[i])
		why := err
		if why == nil {
			why = p.fits(r)
		}
		if err = ctx.Err(); why != nil && err == nil && !isDamage(why) {
			report(Problem{r.Name(), "its cell cannot end so: " + why.Error(), removeRun, []any{ids[i]}})
		}
	}
	return err
}

func (p *possible) fits(r result.Run) error {
	r.Point, r.Grid = nil, make([]json.RawMessage, p.points[r.GridHash])
	check := r.Check
	if own := p.protocols[[2]string{r.Protocol, r.ProtocolHash}]; own != nil {
		check = func() error { return own.Fits(r) }
	}
	if err := check(); err != nil || p.planned == nil {
		return err
	}
	return p.planned(r)
}

// checkCanaries checks the counts of canaries, which are no results.
func checkCanaries(ctx context.Context, q queryer, report func(Problem)) error {
	return each(ctx, q, `SELECT method || ' on ' || dataset, n_test, n_correct, constant, p, key FROM canaries
		WHERE n_test NOT BETWEEN 0 AND 0x7fffffff OR n_correct NOT BETWEEN 0 AND n_test
		OR constant NOT BETWEEN 0 AND n_test OR p NOT BETWEEN 0 AND 1 OR rmse < 0 OR r2 > 1`, func(r []any) error {
		what := fmt.Sprintf("no canary can end so: %v test rows, %v right, %v by a constant answer, p = %v", r[1:5]...)
		report(Problem{fmt.Sprintf("canary of %v", r[0]), what,
			`DELETE FROM canaries WHERE key = ?`, []any{r[5]}})
		return nil
	})
}

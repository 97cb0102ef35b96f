package cmd_test

import (
	"context"
	"database/sql"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestALockedDatabaseLosesNothing: another program holds the database while cells
// finish, for longer than SQLite waits. A run that begins then waits.
func TestALockedDatabaseLosesNothing(t *testing.T) {
	testenv.OnlyThorough(t)
	p := newProcess(t)
	c, open := underWay(t, p)
	release := holdDatabase(t, p.file("results.db"))
	next := p.begin(t, "run", "--methods", "CART", "--datasets", "board", "--splits", "1")
	next.said.awaits(t, "waiting: ")
	open()
	c.said.awaits(t, "another program holds it")
	release()
	next.ends(0)
	c.ends(3) // the plugin failed
	must.Be(t, p.cellsStored(), 8, &c.said)
}

// TestGivingUpSaysWhatIsLost: three interrupts while the database stays locked.
func TestGivingUpSaysWhatIsLost(t *testing.T) {
	testenv.OnlyThorough(t)
	p := newProcess(t)
	c, open := underWay(t, p)
	defer holdDatabase(t, p.file("results.db"))()
	before := p.cellsStored()
	open()
	for _, says := range []string{"results wait in memory", "stopping: running cells finish",
		", interrupt again to give up"} {
		waitFor(t, func() bool { return strings.Contains(c.said.String(), says) })
		must.Do(t, c.Process.Signal(os.Interrupt))
	}
	if code := c.code(); code != 130 && code != 3 {
		t.Errorf("exit %d, want 130 or 3", code)
	}
	if want := regexp.MustCompile(
		`complete \d/6(.|\n)*\d finished results are lost: .*StumpBoost on swiss, split`); !want.MatchString(
		c.said.String()) {
		t.Errorf("standard error lacks %q:\n%s", want, &c.said)
	}
	must.Be(t, p.cellsStored(), before)
}

// holdDatabase locks a database as another program would.
func holdDatabase(t *testing.T, path string) (release func()) {
	t.Helper()
	db := must.Get(sql.Open("sqlite3", path))(t)
	conn := must.Get(db.Conn(t.Context()))(t)
	must.Get(conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"))(t)
	return sync.OnceFunc(func() {
		_, _ = conn.ExecContext(context.Background(), "ROLLBACK")
		_ = conn.Close()
		_ = db.Close()
	})
}

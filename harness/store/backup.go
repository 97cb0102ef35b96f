package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kernelboosting/bench/internal/system/files"
)

// Backup writes the database as it is at one moment to a file at path, whole or not at all. Runs may go on in
// the meantime. The copy is compared with its checksums before it gets its name. A file at path that is no
// results database is an error; whether a database is replaced, write decides, as files.Write or another.
func (db *DB) Backup(
	ctx context.Context, path string, write func(path string, content func(io.Writer) error) error,
) error {
	if err := db.CanBackup(ctx, path); err != nil {
		return err
	}
	dir, release, err := files.Scratch(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return fmt.Errorf("backup %s: %w; its directory must exist and be writable", path, err)
	}
	defer release()
	scratch := filepath.Join(dir, "copy.db")
	if err := db.vacuumInto(ctx, scratch); err != nil {
		return fmt.Errorf("backup %s: %w", path, explain(err))
	}
	if err := checkCopy(ctx, scratch); err != nil {
		if damage := (*DamageError)(nil); errors.As(err, &damage) {
			damage.Path = db.path // whose rows these are
		}
		return fmt.Errorf("backup %s: the copy is damaged and was removed: %w", path, err)
	}
	from, err := os.Open(scratch)
	if err != nil {
		return err
	}
	defer from.Close()
	return write(path, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}

// vacuumInto writes the state that one transaction sees to a new file. While query_only is on, a reader's
// connection refuses every write, even to another file, so vacuumInto turns query_only off for a moment. The
// database itself stays safe, since it is open for reading only.
func (db *DB) vacuumInto(ctx context.Context, path string) error {
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var queryOnly int
	if err := conn.QueryRowContext(ctx, "PRAGMA query_only").Scan(&queryOnly); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only = 0"); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "VACUUM INTO ?", path)
	_, restored := conn.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA query_only = %d", queryOnly))
	return errors.Join(err, restored)
}

// checkCopy removes the runs that are under way, which are none of the copy's. Then it compares all
// other rows of the copy with their checksums.
func checkCopy(ctx context.Context, path string) error {
	db, err := connect(path, nil)
	if err != nil {
		return err
	}
	if _, err := db.sql.ExecContext(ctx, "DELETE FROM underway; DELETE FROM underway_cells"); err != nil {
		return errors.Join(err, db.Close())
	}
	if err := db.Close(); err != nil {
		return err
	}
	if db, err = OpenReader(ctx, path); err != nil {
		return err
	}
	return errors.Join(db.damageOf(ctx, true), db.Close())
}

// CanBackup refuses to replace the database itself, a database that is in use, and a file that is no
// database.
func (db *DB) CanBackup(ctx context.Context, path string) error {
	there, err := os.Stat(path)
	if err != nil {
		return nil // Backup reports the error when it writes
	}
	if own, err := os.Stat(db.path); err == nil && os.SameFile(own, there) {
		return fmt.Errorf("backup %s: that is the database itself; name another file", path)
	}
	if !there.Mode().IsRegular() {
		return fmt.Errorf("backup %s: it is not a regular file; name another file", path)
	}
	if there.Size() == 0 {
		return nil
	}
	if err := recognise(ctx, path); err != nil {
		return fmt.Errorf("backup %s: the existing file is no results database and stays as it is; name another file",
			path)
	}
	for _, log := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(path + log); err == nil && info.Size() > 0 {
			return fmt.Errorf("backup %s: a program has that database open, or was killed with it (%s%s is there); "+
				"name another file", path, path, log)
		}
	}
	return nil
}

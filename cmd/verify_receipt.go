package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/files"
)

// verifyReceipt checks the receipt of an entry of a commons: by itself, against the results and the files beside it or
// against the results of the database, and its signature. It lists what the receipt says.
func (a *app) verifyReceipt(ctx context.Context, file, allowed string, l *listing) error {
	text, err := files.Read(file, commons.MostReceipt)
	if err != nil {
		return usageError(err)
	}
	differs := func(err error) error { return exitError{exitIncomplete, fmt.Errorf("%s: %w", file, err)} }
	r, err := commons.ParseReceipt(text)
	if err != nil {
		return differs(err)
	}
	signer, err := signerOf(ctx, file, text, allowed)
	if err != nil {
		return differs(err)
	}
	runs, from, err := a.receiptRuns(ctx, r, filepath.Dir(file))
	if err != nil {
		return err
	}
	if err := r.Check(runs); err != nil {
		return differs(fmt.Errorf("%w (results: %s)", err, from))
	}
	entry := "not there: only results were compared"
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), commons.EntryFile)); err == nil {
		all, err := commons.ReadFolder(filepath.Dir(file))
		if err != nil {
			return usageError(err)
		}
		if hash := commons.EntryHash(all); hash != r.EntryHash {
			return differs(fmt.Errorf("the files beside it are another version of the entry: their hash is %s, that "+
				"of the receipt %s", hash, r.EntryHash))
		}
		entry = "as in the receipt"
	}
	l.header = []string{"of the receipt", "value"}
	for _, row := range [][2]any{
		{"entry", r.Entry}, {"method", r.Method}, {"version", r.MethodVersion}, {"protocol", r.Protocol},
		{"level", string(r.Level)}, {"cells", len(r.Cells)}, {"computed again", r.Again()},
		{"deterministic", r.Deterministic}, {"a forger gains points", r.Gain}, {"and is caught with", r.Caught},
		{"assumed", r.Floor}, {"seed", r.Seed}, {"program", r.Program}, {"processor", r.Processor},
		{"system", r.System}, {"date", r.Date}, {"root of the cells", r.Root},
		{"results", "as in the receipt: " + from}, {"files of the entry", entry}, {"signed by", signer},
	} {
		l.add(row[0], row[1])
	}
	return nil
}

// signerOf returns who signed a receipt. It is an error if nobody did and allowed names who may.
func signerOf(ctx context.Context, file string, text []byte, allowed string) (string, error) {
	signature, err := files.Read(commons.SignatureFile(file), 1<<16)
	switch {
	case errors.Is(err, fs.ErrNotExist) && allowed == "":
		return "nobody", nil
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("nobody signed it: %s is not there", commons.SignatureFile(file))
	case err != nil:
		return "", err
	}
	return commons.Signer(ctx, text, signature, allowed)
}

// receiptRuns returns the results that a receipt is about, and where they are: in the file beside it, or else in the
// database.
func (a *app) receiptRuns(ctx context.Context, r commons.Receipt, dir string) ([]result.Run, string, error) {
	path := filepath.Join(dir, commons.ResultsFile)
	file, err := files.Read(path, bundle.MaxBytes)
	if err == nil {
		runs, err := bundle.Read(file)
		if err != nil {
			return nil, path, exitError{exitIncomplete, fmt.Errorf("%s: %w", path, err)}
		}
		return runs, path, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, path, usageError(err)
	}
	db, err := a.reader(ctx)
	if err != nil {
		return nil, "", err
	}
	defer db.Close()
	cells, err := db.Cells(ctx)
	if err != nil {
		return nil, "", databaseError(err)
	}
	var runs []result.Run
	for _, c := range cells {
		if c.Protocol != r.Protocol || c.Method != r.Method || !r.Has(c.Dataset, c.Split) {
			continue
		}
		run, found, err := db.Result(ctx, c.Key)
		if err != nil {
			return nil, "", databaseError(err)
		}
		if found {
			runs = append(runs, run)
		}
	}
	return runs, "database " + a.db, nil
}

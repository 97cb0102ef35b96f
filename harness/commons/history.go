package commons

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
)

// A Version is an entry as it entered at some time.
type Version struct {
	Receipt Receipt
	Text    []byte  // the file of the receipt
	Mean    float64 // of the accuracies of all cells, in percent
}

// Mean is the mean accuracy of all cells, in percent.
func Mean(runs []result.Run) float64 {
	sum := 0.0
	for _, r := range runs {
		sum += percent(r.Score)
	}
	return sum / float64(max(1, len(runs)))
}

// blobAt reads a file of a commit, and says whether it is there.
func (g Git) blobAt(ctx context.Context, commit, path string, most int64) ([]byte, bool, error) {
	blobs, err := g.tree(ctx, commit, path)
	if err != nil || len(blobs) != 1 || blobs[0].kind != "blob" {
		return nil, false, err
	}
	if blobs[0].size > most {
		return nil, false, fmt.Errorf("%s has %d bytes; at most %d may be there", path, blobs[0].size, most)
	}
	text, err := g.Do(ctx, "cat-file", "blob", blobs[0].hash)
	return []byte(text), true, err
}

// Versions lists the versions of an entry up to a commit that entered with a receipt, the latest first. The results of
// each are those of its receipt.
func (g Git) Versions(ctx context.Context, commit, name string, c Config) ([]Version, error) {
	folder := Methods + "/" + name + "/"
	commits, err := g.Do(ctx, "log", "--format=%H", commit, "--", folder+ReceiptFile)
	if err != nil {
		return nil, err
	}
	var out []Version
	for _, at := range strings.Fields(commits) {
		text, there, err := g.blobAt(ctx, at, folder+ReceiptFile, MostReceipt)
		if err != nil {
			return nil, err
		}
		file, has, err := g.blobAt(ctx, at, folder+ResultsFile, c.Limits.ResultsBytes)
		if err != nil {
			return nil, err
		}
		if !there || !has {
			continue // the entry was removed
		}
		v := Version{Text: text}
		if v.Receipt, err = ParseReceipt(text); err != nil {
			return nil, fmt.Errorf("%s%s of commit %.12s: %w", folder, ReceiptFile, at, err)
		}
		runs, err := c.Runs(Entry{Name: name}, file)
		if err == nil {
			err = v.Receipt.Check(runs)
		}
		if err != nil {
			return nil, fmt.Errorf("%s of commit %.12s: %w", folder, at, err)
		}
		v.Mean = Mean(runs)
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b Version) int { return -cmp.Compare(a.Receipt.Date, b.Receipt.Date) })
	return out, nil
}

// AllRefusals lists the versions that were refused, the latest first.
func (g Git) AllRefusals(ctx context.Context, commit string) ([]Refusal, error) {
	blobs, err := g.tree(ctx, commit, Refused+"/")
	if err != nil {
		return nil, err
	}
	var out []Refusal
	for _, b := range blobs {
		if b.kind != "blob" || b.size > maxText || !strings.HasSuffix(b.path, ".json") {
			continue
		}
		text, err := g.Do(ctx, "cat-file", "blob", b.hash)
		if err != nil {
			return nil, err
		}
		r, err := ParseRefusal([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.path, err)
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Refusal) int { return -cmp.Compare(a.Date, b.Date) })
	return out, nil
}

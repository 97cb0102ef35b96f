package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Finding is evidence against the results of a method.
type Finding struct {
	Kind                  FindingKind
	Protocol              string
	Method, MethodVersion string
	Dataset, Fingerprint  string
	Split                 int
	Details               string // of this cell
}

// A FindingKind names the evidence of a finding.
type FindingKind string

// These are the kinds of findings.
const (
	Leak FindingKind = "leak" // right about test rows although its training labels contradicted them
	// Canary is the kind of a method that fails only where its training labels contradict the truth, and not
	// for want of time or memory.
	Canary FindingKind = "canary"
	State  FindingKind = "state" // other bits, or other chances, when a cell is computed again in a new process
)

// Findings returns the findings of a protocol or, for "", of all protocols, sorted by method, kind, data set
// and split.
func (db *DB) Findings(ctx context.Context, protocol string) ([]Finding, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	var out []Finding
	err := scanned(ctx, db.sql, `SELECT finding, protocol, method, method_version, dataset, fingerprint, split,
		  coalesce(p, 0), coalesce(n_test, 0), n_correct, coalesce(r2, 0), differs
		FROM findings WHERE ?1 IN ('', protocol) ORDER BY method, method_version, finding, protocol, dataset, split`,
		func(scan func(...any) error) error {
			var f Finding
			var p, r2 float64
			var tested int
			var correct *int
			err := scan(&f.Kind, &f.Protocol, &f.Method, &f.MethodVersion, &f.Dataset, &f.Fingerprint, &f.Split, &p,
				&tested, &correct, &r2, &f.Details)
			switch {
			case f.Kind == Leak && correct != nil:
				f.Details = fmt.Sprintf("%d of %d rows, p = %.1g", *correct, tested, p)
			case f.Kind == Leak:
				f.Details = fmt.Sprintf("R2 %.2f on %d rows, p = %.1g", r2, tested, p)
			case f.Kind == Canary:
				f.Details, _, _ = strings.Cut(f.Details, "\n")
			}
			out = append(out, f)
			return err
		}, protocol)
	return out, err
}

// sentences take the method, its data sets and an example.
var sentences = map[FindingKind]string{
	Leak: "leak: %s is right about test rows of %s although its training labels contradicted them (%s). It knows " +
		"labels from elsewhere, or does not learn from its training labels.",
	Canary: "canary: the canary of %s failed on %s, where its cells end ok (%s). Whether it knows labels from " +
		"elsewhere is not known: it fails where its training labels contradict the truth.",
	State: "state: results of %s on %s depend on what its process did before, or on chance: " +
		"computed again in a new process they differ (%s).",
}

// Describe returns one sentence for each method version and kind of finding.
func Describe(findings []Finding) []string {
	type group struct {
		method, version string
		kind            FindingKind
	}
	cells := map[group][]Finding{}
	var order []group
	for _, f := range findings {
		g := group{f.Method, f.MethodVersion, f.Kind}
		if cells[g] == nil {
			order = append(order, g)
		}
		cells[g] = append(cells[g], f)
	}
	var out []string
	for _, g := range order {
		var where []string
		for _, f := range cells[g] {
			if !slices.Contains(where, f.Dataset) {
				where = append(where, f.Dataset)
			}
		}
		const most = 5
		if n := len(where); n > most {
			where = append(where[:most], fmt.Sprintf("%d more", n-most))
		}
		first := cells[g][0]
		example := fmt.Sprintf("%s, split %d: %s", first.Dataset, first.Split, first.Details)
		out = append(out, fmt.Sprintf(sentences[g.kind], g.method, strings.Join(where, ", "), example))
	}
	return out
}

// A StateCheck is a stored cell that was computed once more, alone in a new process.
type StateCheck struct {
	Protocol, ProtocolHash string
	Method, MethodVersion  string
	Dataset, Fingerprint   string
	Split                  int
	Differs                string // the first difference; "" if there is none
}

// PutStateChecks stores checks. Each replaces an older check of the same cell.
func (db *DB) PutStateChecks(ctx context.Context, checks []StateCheck) error {
	now := time.Now().UTC().Format(time.RFC3339)
	var rows [][]any
	for _, c := range checks {
		rows = append(rows, []any{c.Protocol, c.ProtocolHash, c.Method, c.MethodVersion, c.Dataset, c.Fingerprint,
			c.Split, c.Differs == "", c.Differs, now})
	}
	return db.replaceAll(ctx, sealedStateChecks, rows)
}

package cmd

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/frame"
)

// noteVersions lists the versions of each method that has results of several, with their places among the methods of
// the protocol.
func (a *app) noteVersions(ctx context.Context, db *store.DB, rows []store.StatusRow) error {
	var protocols []string
	for _, r := range rows {
		frame.AppendUnique(&protocols, r.Protocol)
	}
	for _, protocol := range protocols {
		methods, err := db.Retried(ctx, protocol)
		if err != nil {
			return databaseError(err)
		}
		if methods == nil {
			continue
		}
		read, err := a.frameOf(ctx, db, reportFlags{selection: selection{protocol: protocol}, also: methods})
		if err != nil {
			a.say("%s: versions are not listed: %v", protocol, err)
			continue
		}
		t, err := read.Table("")
		if err != nil {
			a.say("%s: versions are not listed: %v", protocol, err)
			continue
		}
		for _, m := range methods {
			a.listVersions(&t, m)
		}
	}
	return nil
}

// listVersions says nothing of a method with one version.
func (a *app) listVersions(t *frame.Table, method string) {
	versions := t.Standings(method)
	if len(versions) < 2 {
		return
	}
	a.say("%s: %d versions of %s, by mean %s:", t.Protocol, len(versions), method, t.Metric.Title)
	for _, v := range versions {
		now, text := "", "no result on a set that counts"
		if v.Now {
			now = " (now)"
		}
		if v.Mean != nil {
			text = fmt.Sprintf("%s over %s, place %d of %d", frame.Text(v.Mean, t.Decimals()),
				frame.Count(v.Sets, "data set"), v.Place, v.Of)
		}
		a.say("  %s%s: %s", v.Name, now, text)
	}
}

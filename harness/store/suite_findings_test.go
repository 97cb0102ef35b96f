package store

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
)

// canaryOf is the canary that copies a run; p and constant are its outcome.
func canaryOf(r result.Run, p float64, constant int) result.Run {
	r.Key, r.Canary = "canary "+r.Key, &result.Canary{P: p, Constant: constant}
	return r
}

// findings tests that canaries are no results, and that the first canary that ended ok stays. A leak is a canary
// with a small p where the method's own result, of the same version, data and protocol, is better than a constant.
func findings(t *testing.T, db *DB) {
	ctx := t.Context()
	secret, err := db.Secret(ctx)
	again, err2 := db.Secret(ctx)
	if err != nil || err2 != nil || len(secret) != 32 || !bytes.Equal(secret, again) ||
		bytes.Equal(secret, make([]byte, 32)) {
		t.Fatalf("secrets %x and %x, %v %v", secret, again, err, err2)
	}
	cheat, poor, honest, newer := storetest.Finished("Cheat", "wine", 1), storetest.Finished("Poor", "wine", 1),
		storetest.Finished("Honest", "wine", 1), storetest.Finished("Newer", "wine", 1)
	other := canaryOf(newer, 1e-9, 20)
	other.MethodVersion = "0"
	broken := failed(storetest.Finished("Broken", "wine", 1), result.Failed, "on purpose")
	broken.Key, broken.Canary = "canary of Broken", &result.Canary{P: 1}
	put(t, db, cheat, poor, honest, newer, canaryOf(cheat, 1e-9, 26), canaryOf(poor, 1e-9, 27), canaryOf(honest, 1e-5,
		20), other, broken)
	put(t, db, canaryOf(cheat, 1, 26)) // does not replace
	must.Be(t, len(must.Get(db.Keys(ctx))(t)), 4)
	canaries, err := db.Canaries(ctx)
	if err != nil || len(canaries) != 5 || canaries["canary of Broken"].Status != result.Failed ||
		canaries["canary "+cheat.Key].Status != result.OK || canaries["canary "+cheat.Key].Attempt == 0 {
		t.Errorf("canaries %v, %v", canaries, err)
	}
	found := func(protocol string) (out []string) {
		all := must.Get(db.Findings(ctx, protocol))(t)
		for _, f := range all {
			out = append(out, string(f.Kind)+" "+f.Method+" "+f.Details)
		}
		return out
	}
	if got := found(""); len(got) != 1 || !strings.HasPrefix(got[0], "leak Cheat 27 of 30 rows, p = 1e-09") {
		t.Errorf("found %q", got)
	}
	check := StateCheck{Protocol: "p", ProtocolHash: "ph", Method: "Honest", MethodVersion: "1", Dataset: "wine",
		Fingerprint: "f wine", Split: 1}
	differs := check
	differs.Method, differs.Differs = "Cheat", "test part: 1, now 2"
	must.Do(t, db.PutStateChecks(ctx, []StateCheck{check, differs}))
	must.Be(t, found("p"), []string{"leak Cheat 27 of 30 rows, p = 1e-09", "state Cheat test part: 1, now 2"})
	must.Be(t, len(found("another")), 0)
	broken.Status, broken.Error = result.OK, ""
	put(t, db, broken)
	if canaries, err := db.Canaries(ctx); err != nil || len(canaries) != 5 ||
		canaries["canary of Broken"].Status != result.OK {
		t.Errorf("a canary that failed before: %v, %v", canaries, err)
	}
}

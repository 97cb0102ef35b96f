package remote

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/nats-io/nats.go"
)

// FuzzCoordinator: no message of a worker ends the coordinator, whatever the state of the cell that the message is
// about: waited for, handed out, ended, unknown, and of a worker that is there, unknown or expelled. Afterwards another
// worker's result still counts.
func FuzzCoordinator(f *testing.F) {
	p := must.Get(Listen(Options{Address: "127.0.0.1:0", Folder: f.TempDir(),
		Protocol: must.Get(protocol.Load("table2"))(f)}))(f)
	f.Cleanup(func() { p.Close(true) })
	spec := cell("M", 1)
	spec.Keep = runner.KeepScores
	ok := spec.NewRun()
	ok.Status, ok.StartedAt, ok.Environment = result.OK, "2026-01-01T00:00:00Z", &result.Environment{}
	ends := func(d done) []byte { return must.Get(strictjson.Marshal([]done{d}))(f) }
	whole := ends(done{ID: "id", Key: spec.Key, Machine: "m", Run: &ok})
	said := ok
	said.Stderr = strings.Repeat("x", mostBytes)
	hear := must.Get(strictjson.Marshal(hello{Worker: "w", Machine: "m", Jobs: 1, Running: []string{"id"}}))(f)
	for state := range byte(32) {
		for kind, data := range [][]byte{whole, hear, []byte(`{"name":"batch","offset":9}`),
			must.Get(strictjson.Marshal(ok))(f)} {
			f.Add(byte(kind), state, "w", data)
		}
		for _, data := range []string{
			`[{"id":"id","key":"` + spec.Key + `","run":null}]`, `[{"id":"id","key":"` + spec.Key + `"}]`, `[{}]`, `[]`,
			`null`, `[null]`, `[{"key":"` + spec.Key + `","object":"x","bytes":9}]`, `[{"object":"x","bytes":-9}]`,
			`[{"key":"` + spec.Key + `","object":"x","bytes":999999999999}]`,
			string(ends(done{ID: "id", Key: spec.Key, Run: &said})),
		} {
			f.Add(byte(0), state, "w", []byte(data))
		}
	}
	objects := make(chan []byte, 1) // what the worker answers to the first request for a part of its result
	must.Get(p.nc.Subscribe(p.names.objectsOf("w"), func(m *nats.Msg) {
		select {
		case object := <-objects:
			_ = m.Respond(object)
		default:
			_ = m.Respond(nil)
		}
	}))(f)
	f.Fuzz(func(t *testing.T, kind, state byte, from string, data []byte) {
		c := &call{id: "id", spec: spec, group: "g", ends: make(chan callEnd, 1)}
		p.mu.Lock()
		p.calls, p.members, p.expelled = map[string]*call{}, map[string]*member{}, map[string]string{}
		p.results = newResults()
		p.batches["batch"] = []byte("batch")
		if state&1 != 0 {
			p.calls[spec.Key] = c
		}
		if state&2 != 0 {
			c.in = &message{cells: 1, left: 1}
		}
		if state&4 != 0 {
			p.results.first[spec.Key] = outcome{counts: true}
		}
		if state&8 != 0 {
			p.members["w"] = &member{hello: hello{Worker: "w", Jobs: 1, Running: []string{"id"}}, in: "g"}
		}
		if state&16 != 0 {
			p.expelled["w"] = "why"
		}
		p.mu.Unlock()
		m := nats.NewMsg("")
		m.Data = data
		m.Header.Set(headerFrom, from)
		switch kind % 4 {
		case 0:
			p.finish(m)
		case 1:
			p.hear(m)
		case 2:
			p.give(m)
		case 3:
			select {
			case objects <- data:
			default:
			}
			d := done{ID: "id", Key: spec.Key, Object: "x", Bytes: len(data) + len(from) - 1}
			_ = p.takeAll("w", []received{{done: d}}, 0)
		}
		_, _ = p.Rooms(), p.Workers()
		p.mu.Lock()
		p.calls[spec.Key] = &call{id: "next", spec: spec, ends: make(chan callEnd, 1)}
		next := p.calls[spec.Key]
		p.mu.Unlock()
		failed := ok
		failed.Status, failed.Class, failed.Error = result.Failed, result.ClassError, "why"
		m = nats.NewMsg("") // the coordinator may still read the first one
		m.Header.Set(headerFrom, rand.Text())
		m.Data = must.Get(strictjson.Marshal([]done{{ID: "next", Key: spec.Key, Run: &failed}}))(t)
		p.finish(m)
		select {
		case <-next.ends:
		default:
			t.Error("a result of another worker is not taken")
		}
	})
}

package strictjson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// A message has a field of each kind that messages of the program have.
type message struct {
	ID     *int64             `json:"id"`
	Scores []float64          `json:"scores"`
	Rounds []int              `json:"rounds,omitempty"`
	Seed   uint32             `json:"seed"`
	Text   string             `json:"text"`
	Yes    bool               `json:"yes"`
	Took   time.Duration      `json:"took"`
	Sum    [3]byte            `json:"sum"`
	Data   []byte             `json:"data"`
	At     time.Time          `json:"at"`
	Raw    json.RawMessage    `json:"raw"`
	Raws   []json.RawMessage  `json:"raws"`
	Any    any                `json:"any"`
	Names  map[string]string  `json:"names"`
	Inner  []inner            `json:"inner"`
	Deep   map[string][]inner `json:"deep"`
	Hidden string             `json:"-"`
	Own    own                `json:"own"`
	*embedded
	Base
}

type inner struct {
	N    int
	Next *inner `json:"next,omitempty"`
}

type embedded struct {
	Lost string `json:"lost"` // of an unexported pointer, which nobody can set
}

// Base is embedded, so that its fields are those of message.
type Base struct {
	Kept string `json:"kept"`
	Code int32
}

type own struct{ text string }

func (o *own) UnmarshalJSON(raw []byte) error {
	if o.text = string(raw); o.text == `"bad"` {
		return errors.New("it is bad")
	}
	return nil
}

func (o own) MarshalJSON() ([]byte, error) { return []byte(o.text), nil }

// refusals are texts with what the error must say of them.
var refusals = []struct{ text, says string }{
	{`{"scores":[1,null]}`, "scores[1] is null; a number is wanted"},
	{`{"scores":null}`, "scores is null; a list is wanted"},
	{`{"seed":null}`, "seed is null; a whole number that fits uint32 is wanted"},
	{`{"text":null}`, "text is null; a text is wanted"},
	{`{"yes":null}`, "yes is null; true or false is wanted"},
	{`{"at":null}`, "at is null; an object is wanted"},
	{`{"own":null}`, "own is null"},
	{`{"names":{"a":null}}`, "names.a is null; a text is wanted"},
	{`{"inner":[{"N":1},{"N":null}]}`, "inner[1].N is null"},
	{`{"inner":[{"next":{"next":{"N":null}}}]}`, "inner[0].next.next.N is null"},
	{`{"deep":{"x":[{"N":null}]}}`, "deep.x[0].N is null"},
	{`{"deep":{"x":[null]}}`, "deep.x[0] is null; an object is wanted"},
	{`null`, "the whole value is null; an object is wanted"},
	{`{"text":"null","kept":null}`, "kept is null"},
	{`{"seed":1,"seed":2}`, "the field seed comes twice"},
	{`{"names":{"a":"1","a":"2"}}`, "the field names.a comes twice"},
	{`{"raw":{"a":1,"a":2}}`, "the field raw.a comes twice"},
	{`{"any":{"a":null,"\u0061":2}}`, "the field any.a comes twice"},
	{`{"Scores":[1]}`, `the field Scores must be written "scores"`},
	{`{"inner":[{"n":1}]}`, `the field inner[0].n must be written "N"`},
	{`{"KEPT":"x"}`, `the field KEPT must be written "kept"`},
	{`{"ſeed":1}`, `the field ſeed must be written "seed"`}, // a long s, which encoding/json takes for an s
	{`{"seed":1,"SEED":2,"other":null}`, `the field SEED must be written "seed"`},
	{`{"seed":1} {"seed":2}`, "after top-level value"},
	{`{"seed":1}x`, "after top-level value"},
	{`{"seed":1`, "the JSON is cut at"},
	{``, "the JSON is cut"},
	{`{"seed":1,}`, "it is no JSON at"},
	{`{'seed':1}`, "it is no JSON at"},
	{`{"scores":["NaN"]}`, `scores[0] is a text; a number is wanted`},
	{`{"scores":[NaN]}`, "it is no JSON at scores[0], after 11 bytes: invalid character 'N'"},
	{`{"scores":[Infinity]}`, "it is no JSON at scores[0]"},
	{`{"scores":[-Infinity]}`, "it is no JSON at scores[0]"},
	{`{"scores":[1e999]}`, "scores[0] is 1e999; a number is wanted"},
	{`{"scores":[01]}`, "it is no JSON at scores"},
	{`{"scores":[+1]}`, "it is no JSON at scores[0]"},
	{`{"scores":[.5]}`, "it is no JSON at scores[0]"},
	{`{"scores":[0x1]}`, "it is no JSON at scores"},
	{`{"scores":[true]}`, "scores[0] is true; a number is wanted"},
	{`{"scores":[[1]]}`, "scores[0] is a list; a number is wanted"},
	{`{"scores":{"0":1}}`, "scores is an object; a list is wanted"},
	{`{"rounds":[1.0]}`, "rounds[0] is 1.0; a whole number that fits int is wanted"},
	{`{"rounds":[1e2]}`, "rounds[0] is 1e2; a whole number"},
	{`{"rounds":[9223372036854775808]}`, "rounds[0] is 9223372036854775808; a whole number"},
	{`{"seed":4294967296}`, "seed is 4294967296; a whole number that fits uint32"},
	{`{"seed":-1}`, "seed is -1; a whole number that fits uint32"},
	{`{"seed":"1"}`, `seed is a text; a whole number`},
	{`{"sum":[1,2]}`, "sum: "},
	{`{"text":1}`, "text is a number; a text is wanted"},
	{`{"own":"bad"}`, "own: it is bad"},
	{`[]`, "the whole value is a list; an object is wanted"},
	{"{\"a\x1b[31m\":1,\"a\x1b[31m\":1}", "it is no JSON at"},
	{`{"\u001b[31m":1,"\u001b[31m":1}`, `the field \x1b[31m comes twice`},
	{`{"raw":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, "exceeded max depth"},
	{`{"any":` + strings.Repeat(`{"a":`, 20_000) + "null" + strings.Repeat("}", 20_000) + `}`, "exceeded max depth"},
}

func TestRefused(t *testing.T) {
	for _, r := range refusals {
		for _, read := range []func([]byte, any) error{strictjson.UnmarshalOpen, strictjson.Unmarshal} {
			var m message
			err := read([]byte(r.text), &m)
			if strings.HasPrefix(r.says, "the field") && strings.HasSuffix(fmt.Sprint(err), "is not known here") {
				continue // Unmarshal, which may say this of a field in another case
			}
			must.Say(t, err, r.says)
			if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%q: the error is no line of visible characters: %q", r.text, err)
			}
		}
	}
}

// TestAllowed has the nulls that mean something, and numbers at the edges of their types.
func TestAllowed(t *testing.T) {
	var m message
	nulls := `{"id":null,"raw":null,"raws":[null,1],"any":{"a":[null]},"inner":[{"N":-0,"next":null}]}`
	must.Do(t, strictjson.Unmarshal([]byte(nulls), &m))
	must.Be(t, string(m.Raw)+string(m.Raws[0])+string(m.Raws[1]), "nullnull1", "raw values")
	must.Do(t, strictjson.Unmarshal([]byte(`{"id":9007199254740993,"scores":[-0,1e-999,5e-324,1.7976931348623157e308],`+
		`"took":5,"sum":[1,2,3],"text":"null"}`), &m))
	must.Be(t, *m.ID, int64(9007199254740993), "beyond 2^53")
	must.Be(t, math.Signbit(m.Scores[0]), true, "the sign of -0")
	must.Be(t, m.Took, time.Duration(5), "a duration")

	text := `{"new":null,"news":{"SEED":[null]},"seed":7,"names":{"SEED":"x"}}`
	must.Do(t, strictjson.UnmarshalOpen([]byte(text), &m))
	must.Be(t, m.Seed, uint32(7), "the seed among unknown fields")
	must.Say(t, strictjson.Unmarshal([]byte(`{"new":1}`), &m), "the field new is not known here")
	must.Say(t, strictjson.Unmarshal([]byte(`{"new":null}`), &m), "the field new is not known here")
}

// TestStream reads values one after another, and tells their end from a cut.
func TestStream(t *testing.T) {
	d := strictjson.NewDecoder(strings.NewReader("{\"seed\":1}\n{\"seed\":2}\n{\"seed\":null}\n{\"se"))
	var m message
	must.Do(t, d.Decode(&m))
	must.Do(t, d.Decode(&m))
	must.Be(t, m.Seed, uint32(2), "the second seed")
	must.Say(t, d.Decode(&m), "seed is null")
	must.Is(t, d.Decode(&m), io.ErrUnexpectedEOF)
	must.Be(t, strictjson.NewDecoder(strings.NewReader("\n ")).Decode(&m), io.EOF, "at the end")
}

// TestRoundTrip writes what is read back, nil lists and all.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := message{
			Scores: rapid.SliceOf(rapid.Float64()).Draw(r, "scores"),
			Text:   strings.ToValidUTF8(rapid.String().Draw(r, "text"), "?"),
			Seed:   rapid.Uint32().Draw(r, "seed"),
			Names:  rapid.MapOf(rapid.StringMatching("[a-z<&]{1,3}"), rapid.StringMatching("[a-z>]*")).Draw(r, "names"),
			Took:   time.Duration(rapid.Int64().Draw(r, "took")),
			Inner:  []inner{{N: rapid.Int().Draw(r, "n"), Next: &inner{}}},
			Raw:    json.RawMessage(`{"c":1.50e0,"k":"\u00e9<"}`), Own: own{"3"},
		}
		text := must.Get(strictjson.Marshal(in))(r)
		var out message
		must.Do(r, strictjson.Unmarshal(text, &out))
		if len(in.Names) == 0 {
			in.Names, out.Names = nil, nil
		}
		if len(in.Scores) == 0 {
			in.Scores, out.Scores = nil, nil
		}
		must.Be(r, out, in, text)
	})
}

// FuzzUnmarshal compares what is accepted with encoding/json: it must be accepted there, too, with the same values.
func FuzzUnmarshal(f *testing.F) {
	for _, r := range refusals[:len(refusals)-2] {
		f.Add([]byte(r.text))
	}
	f.Add([]byte(`{"id":null,"raw":null,"raws":[null,1],"any":{"a":[null]},"new":{"a":1}}`))
	f.Add([]byte("{\"text\":\"\xff\\ud800\",\"took\":5,\"sum\":[1,2,3],\"data\":\"AAA=\"}"))
	f.Add([]byte(`{"at":"2026-11-27T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got, want message
		if strictjson.UnmarshalOpen(text, &got) != nil {
			return
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q is accepted; encoding/json: %v", text, err)
		}
		must.Be(t, got, want, text)
	})
}

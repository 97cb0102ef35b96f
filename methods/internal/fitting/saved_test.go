package fitting_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"pgregory.net/rapid"
)

// all has a field of each type.
type all struct {
	N     int
	I     int32
	F     float64
	B     bool
	S     string
	Fs    []float64
	Is    []int32
	Inner []inner

	private int // not saved, as it is not exported
}

type inner struct {
	K int
	V []float64
}

func sound(*all) error { return nil }

func write(t testing.TB, a all) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, fitting.Save(&b, "test", &a))
	return b.Bytes()
}

func read(raw []byte) (*all, error) { return fitting.Load(bytes.NewReader(raw), "test", sound) }

var example = all{
	N: -3, I: 7, F: math.Pi, B: true, S: "text", Fs: []float64{1, math.Inf(-1), math.Copysign(0, -1)},
	Is:    []int32{1, -2},
	Inner: []inner{{1, nil}, {math.MinInt64, []float64{4}}},
}

// TestLayout: the bytes are those that the package comment describes.
func TestLayout(t *testing.T) {
	word := func(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }
	number := func(v float64) []byte { return word(int64(math.Float64bits(v))) }
	fields := bytes.Join([][]byte{
		word(-3), {7, 0, 0, 0}, number(math.Pi), {1}, word(4), []byte("text"),
		word(3), number(1), number(math.Inf(-1)), number(math.Copysign(0, -1)), word(2),
		{1, 0, 0, 0, 254, 255, 255, 255},
		word(2), word(1), word(0), word(math.MinInt64), word(1), number(4),
	}, nil)
	model := example
	model.private = 5
	if got := write(t, model); !bytes.Equal(got, fits.Seal("test", fields)) {
		t.Errorf("the model is written as\n%q, not\n%q", got, fits.Seal("test", fields))
	}
	if kind, got := fits.Parts(write(t, example)); kind != "test" || !bytes.Equal(got, fields) {
		t.Errorf("parts %q and %q", kind, got)
	}
}

// TestReadsWhatItWrote to the bit, whatever the pieces in which it comes.
func TestReadsWhatItWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.Custom(func(t *rapid.T) float64 { return math.Float64frombits(rapid.Uint64().Draw(t, "bits")) })
		a := all{
			N: rapid.Int().Draw(t, "n"), I: rapid.Int32().Draw(t, "i"), F: bits.Draw(t, "f"),
			B: rapid.Bool().Draw(t, "b"),
			S: rapid.String().Draw(t, "s"), Fs: rapid.SliceOf(bits).Draw(t, "fs"),
			Is: rapid.SliceOf(rapid.Int32()).Draw(t, "is"),
			Inner: rapid.SliceOf(rapid.Custom(func(t *rapid.T) inner {
				return inner{rapid.Int().Draw(t, "k"), rapid.SliceOf(bits).Draw(t, "v")}
			})).Draw(t, "inner"),
		}
		var first, second bytes.Buffer
		must.Do(t, errors.Join(fitting.Save(&first, "test", &a), fitting.Save(&second, "test", &a)))
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatal("a model is written in two ways")
		}
		back := must.Get(fitting.Load(iotest.OneByteReader(&first), "test", sound))(t)
		var again bytes.Buffer
		if err := fitting.Save(&again, "test", back); err != nil || !bytes.Equal(again.Bytes(), second.Bytes()) {
			t.Fatalf("%+v is read back as %+v", a, back)
		}
	})
}

// TestDamageIsNoticed: every cut, every bit that is turned, and anything more is an error.
func TestDamageIsNoticed(t *testing.T) {
	whole := write(t, example)
	if a, err := read(whole); err != nil || !reflect.DeepEqual(*a, example) {
		t.Fatalf("the whole model is read as %+v, %v", a, err)
	}
	for n := range whole {
		must.Say(t, must.Err(read(whole[:n])), "cut short")
	}
	for bit := range 8 * len(whole) {
		whole[bit/8] ^= 1 << (bit % 8)
		if _, err := read(whole); err == nil {
			t.Errorf("bit %d turned: no error", bit)
		}
		whole[bit/8] ^= 1 << (bit % 8)
	}
	must.Say(t, must.Err(read(append(whole, 0))), "more after its end")
	failure := errors.New("failure")
	if _, err := fitting.Load(io.MultiReader(bytes.NewReader(whole[:40]), iotest.ErrReader(failure)), "test",
		sound); !errors.Is(err, failure) {
		t.Errorf("a reader that fails gives %v", err)
	}
	must.Say(t, must.Err(fitting.Load(bytes.NewReader(whole), "other", sound)), `of the kind "test"`)
	if _, err := fitting.Load(bytes.NewReader(whole), "test", func(*all) error { return failure }); !errors.Is(err,
		failure) {
		t.Errorf("fields that do not fit give %v", err)
	}
}

// endless is a reader of zeros without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestLengthsAreNotTrusted: a length that was written takes no memory.
func TestLengthsAreNotTrusted(t *testing.T) {
	word := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	head := []byte("bench\x00m\x01\x04\x00\x00\x00test")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, r := range map[string]io.Reader{
		"a long kind":      io.MultiReader(strings.NewReader("bench\x00m\x01\xff\xff\xff\xff"), endless{}),
		"a model too long": io.MultiReader(bytes.NewReader(head), bytes.NewReader(word(1<<62)), endless{}),
		"4 GiB that are not there": io.MultiReader(bytes.NewReader(head), bytes.NewReader(word(4<<30)),
			strings.NewReader("abc")),
		"no model": endless{},
		"a long text": bytes.NewReader(fits.Seal("test",
			bytes.Join([][]byte{make([]byte, 21), word(1 << 40)}, nil))),
		"a long list": bytes.NewReader(fits.Seal("test",
			bytes.Join([][]byte{make([]byte, 29), word(1 << 40)}, nil))),
		"a list longer than sizes": bytes.NewReader(fits.Seal("test",
			bytes.Join([][]byte{make([]byte, 29), word(1 << 61), make([]byte, 99)}, nil))),
		"many elements": bytes.NewReader(fits.Seal("test",
			bytes.Join([][]byte{make([]byte, 45), word(1 << 60), make([]byte, 16*5)}, nil))),
		"a truth value of 2": bytes.NewReader(fits.Seal("test",
			bytes.Join([][]byte{make([]byte, 20), {2}, make([]byte, 32)}, nil))),
		"bytes left": bytes.NewReader(fits.Seal("test", make([]byte, 54))),
	} {
		if _, err := fitting.Load(r, "test", sound); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were taken", took)
	}
	must.Get(read(fits.Seal("test", make([]byte, 53))))(t)
}

// TestWriteFails where its writer does, and for a kind that could not be read.
func TestWriteFails(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	must.Is(t, fitting.Save(w, "test", &example), io.ErrClosedPipe)
	if err := fitting.Save(io.Discard, strings.Repeat("k", 65), &example); err == nil {
		t.Error("a kind of 65 bytes is written")
	}
}

// FuzzRead: whatever the fields, reading ends with an error or with what gives the same bytes again.
func FuzzRead(f *testing.F) {
	_, fields := fits.Parts(write(f, example))
	f.Add(fields)
	f.Add(make([]byte, 53))
	f.Fuzz(func(t *testing.T, fields []byte) {
		whole := fits.Seal("test", fields)
		a, err := read(whole)
		if err != nil {
			return
		}
		must.Be(t, bytes.Equal(write(t, *a), whole), true, fields, a)
	})
}

// FuzzHeader: nothing that comes makes reading panic.
func FuzzHeader(f *testing.F) {
	whole := write(f, example)
	f.Add(whole)
	f.Add(whole[:20])
	f.Add([]byte("bench\x00m\x01\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := read(raw); err == nil && !bytes.Equal(raw, fits.Seal("test", raw[24:len(raw)-4])) {
			t.Errorf("%q is accepted", raw)
		}
	})
}

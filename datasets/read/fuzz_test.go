package read

import (
	"bytes"
	"math"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/registry"
)

// fuzzLimit keeps a fuzzed file from asking for much memory.
const fuzzLimit = 1 << 19

// checkFuzzed reads data as an entry would and wants an error or a rectangular,
// finite set with valid labels.
func checkFuzzed(t *testing.T, e *catalogue.Entry, data []byte) {
	if e.Header == nil {
		e.Header = new(bool)
	}
	s, err := reader{e, &Budget{Limit: fuzzLimit}}.read(t.Context(),
		[]content{{name: "f", data: bytes.Clone(data)}})
	if err != nil {
		if bytes.ContainsAny([]byte(err.Error()), "\n\x00") {
			t.Fatalf("error is not one line of text: %q", err)
		}
		return
	}
	n, d := s.X.Dims()
	if n != len(s.Y) || d != len(s.Features) || n == 0 || d == 0 {
		t.Fatalf("%d x %d with %d labels and %d names", n, d, len(s.Y), len(s.Features))
	}
	for _, v := range s.X.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("value %v", v)
		}
	}
	for _, y := range s.Y {
		if s.Task == registry.Binary && y != 1 && y != -1 || s.Task == registry.Multiclass &&
			(y < 0 || int(y) >= s.Classes) || math.IsNaN(y) || math.IsInf(y, 0) {
			t.Fatalf("label %v", y)
		}
	}
}

// FuzzRead reads any text in each format of text.
func FuzzRead(f *testing.F) {
	formats := []struct {
		name, separator string
		seeds           []string
	}{
		{"csv", ",", []string{
			"a,b,y\n1,2,x\n3,4,z\n", "1,2,3\r\n4,5,6", "\"a\"\"\n\",\"b\"\n1,2\n", "1,\n2,\n", "\"", "1,2\n3",
			",,\n,,\n",
			"1,x\r2,y\r", "1e5_0,a\n0x1p3,b\n", "1,NA\n2,nan\n3,x\n", "0,\x00",
		}},
		{"csv", ";", []string{"\xef\xbb\xbf1;2\n3;4\n", "\"3,14\";a\n2,7;b\n"}},
		{"blank", "", []string{"  1 2\t3 \n\n4 5 6\n", "\"1 2\" 3\n4 5\n"}},
		{"arff", "", []string{
			"@relation r\n@attribute x real\n@attribute y {a,b}\n@data\n1,a\n2,b\n",
			"@ATTRIBUTE 'x y' {'p q', \"r\\\"s\"}\n@attribute y integer\n@DATA\n'p q',1\n{}\n{0 \"r\\\"s\", 1 4}\n%c\n",
			"@attribute x string\n@data\n?\n", "@data\n1\n", "@attribute a {",
			"@attribute a numeric [0,1]\r\n@attribute b {}\r\n@data\r\n{ 0 3 }\r\n",
		}},
		{"libsvm", "", []string{
			"+1 1:0.5 3:2 # c\n-1 2:1e-3\n", "1\n2 4:1\r\n", "a 1:1 1:2\n", "1 2147483647:1", "1 -1:0\n", "1 1:inf\n",
			"#\n", "1 :\n", "\x00 1:0",
		}},
	}
	for k, format := range formats {
		for _, seed := range format.seeds {
			for mode := range byte(8) {
				f.Add([]byte(seed), byte(k), mode)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, k, mode byte) {
		of, header := formats[int(k)%len(formats)], mode&1 != 0
		e := &catalogue.Entry{Name: "fuzz", Task: registry.Multiclass, Reading: catalogue.Reading{Format: of.name,
			Separator: of.separator}}
		if of.name != "libsvm" {
			e.Label, e.Header = &catalogue.Column{Index: -1}, &header
			if mode&2 != 0 {
				e.Categorical, e.Missing, e.MissingAs = []catalogue.Column{{Index: 0}}, catalogue.Marks{"?"}, "zero"
			}
		}
		if mode&4 != 0 {
			e.Task = registry.Regression
		}
		checkFuzzed(t, e, data)
	})
}

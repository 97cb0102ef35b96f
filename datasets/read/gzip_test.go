package read

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestPackedFiles loads a set from a CSV file that is packed by gzip. The set has the rows of the CSV text, or the
// first of them where the description has first_rows. bytes and sha256 of the description are those of the packed file.
// A file that is damaged, or is not packed, is an error that names the file.
func TestPackedFiles(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,class\n")
	const rows = 200_000 // more than one step of unpacking
	for i := range rows {
		fmt.Fprintf(&text, "%d,%d,%d\n", i, i%7, i%2)
	}
	packed := testenv.Gzip(t, text.String())
	wrong := []byte(packed)
	wrong[len(wrong)/2] ^= 1
	describe := func(file string, more ...string) string {
		return "name = \"mine\"\nlabel = \"class\"\npositive = [1]\n[[files]]\npath = \"" + file + "\"\n" +
			strings.Join(more, "\n")
	}
	checksum := fmt.Sprintf("bytes = %d\nsha256 = %q", len(packed), catalogue.Checksum([]byte(packed)))
	for _, c := range []struct {
		content, toml string
		rows          int
		want          string
	}{
		{packed, describe("m.csv.gz"), rows, ""},
		{packed, describe("m.csv.gz", checksum), rows, ""},
		{packed, describe("m.csv.gz", checksum, "first_rows = 3", "rows = 3"), 3, ""},
		{packed, describe("m.csv.gz", "first_rows = 150000"), 150_000, ""},
		{packed, describe("m.csv.gz", "first_rows = 300000"), rows, ""},
		{text.String(), describe("m.csv", "first_rows = 5"), 5, ""},
		{packed, describe("m.csv.gz", "first_rows = 3", "rows = 4"), 0, "DIR/m.csv.gz: the file has 3 rows and rows " +
			"= 4 is expected; correct one of them"},
		{packed, describe("m.csv.gz", "first_rows = -3"), 0, `DIR/set.toml: set mine: file "m.csv.gz": rows = 0, ` +
			`features = 0, first_rows = -3; they must not be negative`},
		{text.String(), describe("m.csv.gz"), 0, "mine: DIR/m.csv.gz: the file is not packed by gzip (gzip: invalid " +
			"header); correct its name or its content"},
		{packed[:len(packed)-9], describe("m.csv.gz"), 0, "mine: DIR/m.csv.gz: the file cannot be unpacked: " +
			"unexpected EOF"},
		{string(wrong), describe("m.csv.gz", checksum), 0, fmt.Sprintf("mine: DIR/m.csv.gz: expected SHA-256 %s, got "+
			"%s; restore the file, or correct bytes and sha256 in the set's TOML file",
			catalogue.Checksum([]byte(packed)), catalogue.Checksum(wrong))},
	} {
		name := "m.csv.gz"
		if !strings.Contains(c.toml, name) {
			name = "m.csv"
		}
		s, err := userSet(t, c.toml, name, c.content)
		if c.want != "" {
			must.Be(t, fmt.Sprint(err), c.want)
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if n, d := s.X.Dims(); n != c.rows || d != 2 || s.X.At(n-1, 0) != float64(n-1) ||
			s.Y[n-1] != float64(2*((n-1)%2)-1) {
			t.Errorf("%d x %d, want %d rows; the last is %v, %v", n, d, c.rows, s.X.RawRowView(n-1), s.Y[n-1])
		}
	}
}

// TestLargeDescriptions reads files of the form of the large sets with the descriptions of the catalogue, whose sizes
// alone are others: 140 rows of covertype, and the first 100 of HIGGS.
func TestLargeDescriptions(t *testing.T) {
	var cover, higgs strings.Builder
	for i := range 140 {
		for j := range 54 {
			v := i % (j + 2)
			if j >= 10 {
				v %= 2
			}
			fmt.Fprintf(&cover, "%d,", v)
		}
		fmt.Fprintln(&cover, 1+i%7)
		fmt.Fprintf(&higgs, "%.18e", float64(i%2))
		for j := range 28 {
			fmt.Fprintf(&higgs, ",%.18e", float64(i)/float64(j+1)-3)
		}
		fmt.Fprintln(&higgs)
	}
	sizes := regexp.MustCompile(`(?m)^(rows|counts|codes|bytes|sha256|variant_of) = .*\n`)
	for _, c := range []struct {
		name, file, text string
		rows, features   int
		counts           []int
	}{
		{"covertype", "covtype/covtype.data.gz", cover.String(), 140, 54, []int{120, 20}},
		{"covertype-multiclass", "covtype/covtype.data.gz", cover.String(), 140, 54, []int{20, 20, 20, 20, 20, 20, 20}},
		{"higgs-1000000", "00280/HIGGS.csv.gz", higgs.String(), 100, 28, []int{50, 50}},
	} {
		e := must.Get(catalogue.Builtin().Lookup(c.name))(t)
		toml := sizes.ReplaceAllString(e.Description().TOML, "")
		toml = strings.NewReplacer(`name = "`+c.name+`"`, `name = "mine"`, c.file, "file.csv.gz",
			"first_rows = 1000000", "first_rows = 100").Replace(toml)
		s, err := userSet(t, toml, "file.csv.gz", testenv.Gzip(t, c.text))
		if err != nil {
			t.Error(err)
			continue
		}
		if n, d := s.X.Dims(); n != c.rows || d != c.features || fmt.Sprint(s.Counts()) != fmt.Sprint(c.counts) {
			t.Errorf("%s: %d x %d with counts %v", c.name, n, d, s.Counts())
		}
	}
}

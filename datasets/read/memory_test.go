package read

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// loadWithin writes a set of one file, loads it within a limit of memory, and
// returns the bytes that were allocated meanwhile.
func loadWithin(t *testing.T, limit int64, toml, file, content string) (allocated int64, err error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"set.toml": toml, file: content} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	e := must.Get(catalogue.Builtin().Add(filepath.Join(dir, "set.toml")))(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Load(t.Context(), catalogue.Directory{Memory: limit}, e)
	runtime.ReadMemStats(&after)
	if err != nil {
		err = &plainError{strings.ReplaceAll(err.Error(), dir, "DIR")}
	}
	return int64(after.TotalAlloc - before.TotalAlloc), err
}

const (
	svmSet  = "name = \"mine\"\nfile = \"my.svm\"\n"
	arffSet = "name = \"mine\"\nfile = \"my.arff\"\nlabel = \"y\"\n"
	csvSet  = "name = \"mine\"\nfile = \"my.csv\"\nlabel = 0\n"
)

// wideARFF declares many attributes and has few bytes for each row.
func wideARFF(attributes, rows int) string {
	var b strings.Builder
	for j := range attributes - 1 {
		fmt.Fprintf(&b, "@attribute a%d real\n", j)
	}
	b.WriteString("@attribute y {p,q}\n@data\n")
	b.WriteString(strings.Repeat("{}\n", rows))
	return b.String()
}

// TestSizesAreCheckedBeforeMemoryIsTaken: files of a few bytes that ask for much are
// refused, and hardly anything has been allocated by then.
func TestSizesAreCheckedBeforeMemoryIsTaken(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name                string
		limit, most         int64
		toml, file, content string
		want                string
	}{
		{"a large index", 1 << 30, mib, svmSet, "my.svm", "1 536870912:1\n-1 1:1\n",
			"DIR/my.svm:1: index 536870912 makes the set 536870912 features wide; 2 rows of them need 48 GiB of " +
				"memory, and loading may take 1.0 GiB; correct it or leave rare features out, or raise --memory"},
		{"an index too large to multiply", 1 << 30, mib, svmSet, "my.svm", "1 1:1\n-1 2147483647:1\n",
			"DIR/my.svm:2: index 2147483647 makes the set 2147483647 features wide; 2 rows of them need 192 GiB of " +
				"memory, and loading may take 1.0 GiB; correct it or leave rare features out, or raise --memory"},
		{"features of the description", 1 << 30, mib, svmSet + "features = 9000000000000000000\n", "my.svm",
			"1 1:1\n-1 2:1\n",
			"mine: features = 9000000000000000000 makes the set so wide; 2 rows of them need 8589934592 GiB of " +
				"memory, and loading may take 1.0 GiB; correct it or leave rare features out, or raise --memory"},
		{"many short rows", mib, mib, svmSet, "my.svm", strings.Repeat("1 1:1 2:1\n", 60000),
			"DIR/my.svm:1: index 2 makes the set 2 features wide; 60000 rows of them need 2.2 MiB of memory, and " +
				"loading may take 1.0 MiB; correct it or leave rare features out, or raise --memory"},
		{"sparse rows of an ARFF file", 64 * mib, 8 * mib, arffSet, "my.arff", wideARFF(10000, 5000),
			"DIR/my.arff: 5000 rows of 9999 columns need 385 MiB of memory, and loading may take 64 MiB; take fewer " +
				"rows or columns, or raise --memory"},
		{"attributes", mib, 2 * mib, arffSet, "my.arff", wideARFF(10000, 1),
			"DIR/my.arff:3184: 3184 attributes up to here need 1.0 MiB of memory, and loading may take 1.0 MiB; take " +
				"fewer attributes, or raise --memory"},
		{"the file itself", 1000, mib, csvSet, "my.csv", strings.Repeat("a,1\nb,2\n", 1000),
			"mine: DIR/my.csv: the contents of the file need 7.8 KiB of memory, and loading may take 1000 B; take " +
				"fewer rows or columns, or raise --memory"},
		{"a small packed file", 3 * mib, 12 * mib, strings.Replace(csvSet, "my.csv", "my.csv.gz", 1), "my.csv.gz",
			testenv.Gzip(t, strings.Repeat("a,1\nb,2\n", 4*mib)),
			"mine: DIR/my.csv.gz: the contents of the file need 4.0 MiB of memory, and loading may take 3.0 MiB; " +
				"take fewer rows or columns, or raise --memory"},
		{"the numbers", 100000, mib, csvSet, "my.csv", strings.Repeat("a,1\nb,2\n", 5000),
			"DIR/my.csv: 10000 rows of 1 columns need 236 KiB of memory, and loading may take 98 KiB; take fewer " +
				"rows or columns, or raise --memory"},
		{"a long line", 100000, mib, csvSet, "my.csv", "a,1\n" + strings.Repeat(",", 20000),
			"DIR/my.csv:2: 2730 values need 123 KiB of memory, and loading may take 98 KiB; take fewer columns, or " +
				"raise --memory"},
		{"levels", 4 * mib, 6 * mib, csvSet + "categorical = 1\n", "my.csv", manyLevels(900),
			"DIR/my.csv: the columns give 900 features, 900 of them the levels of column 1; 1800 rows of them need " +
				"13 MiB of memory, and loading may take 4.0 MiB; drop columns or take fewer rows, or raise --memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			allocated, err := loadWithin(t, c.limit, c.toml, c.file, c.content)
			must.Be(t, fmt.Sprint(err), c.want)
			if allocated > c.most {
				t.Errorf("%d bytes were allocated before the error", allocated)
			}
		})
	}
}

func manyLevels(n int) string {
	var b strings.Builder
	for i := range 2 * n {
		fmt.Fprintf(&b, "%d,level%d\n", i%2, i%n)
	}
	return b.String()
}

// TestLoadingTakesWhatWasCounted: a set that fits allocates no more, all garbage
// included, than the least limit that lets it through, plus a tenth.
func TestLoadingTakesWhatWasCounted(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector allocates too")
	}
	var dense, blank, sparse, arff strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&dense, "%d,%d.5,%d,0.25,%d\n", i%2, i, i*i, i%7)
		fmt.Fprintf(&blank, "%d   %d.5\t%d  0.25 \n", i%2, i, i*i)
		fmt.Fprintf(&sparse, "%d %d:1 %d:0.5\n", i%2, 1+i%40, 41+i%9)
		fmt.Fprintf(&arff, "%d,%d\n", i, i%2)
	}
	for _, c := range []struct{ name, toml, file, content string }{
		{"csv", csvSet, "my.csv", dense.String()},
		{"blank", "name = \"mine\"\nfile = \"my.csv\"\nformat = \"blank\"\nlabel = 0\n", "my.csv", blank.String()},
		{"categories", csvSet + "categorical = [4]\n", "my.csv", dense.String()},
		{"libsvm", svmSet, "my.svm", sparse.String()},
		{"arff", arffSet, "my.arff", "@attribute x real\n@attribute y {0,1}\n@data\n" + arff.String()},
		{"sparse arff", arffSet, "my.arff", wideARFF(300, 3000) + "{299 q}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			low, high := int64(0), int64(1<<30)
			for high-low > 1<<14 { // the least limit that suffices
				middle := (low + high) / 2
				if _, err := loadWithin(t, middle, c.toml, c.file, c.content); err != nil {
					low = middle
				} else {
					high = middle
				}
			}
			allocated := must.Get(loadWithin(t, high, c.toml, c.file, c.content))(t)
			if allocated > high+high/10+1<<18 {
				t.Errorf("%d bytes were allocated within a limit of %d", allocated, high)
			}
			if high > 2*allocated {
				t.Errorf("a limit of %d is needed to allocate %d bytes", high, allocated)
			}
		})
	}
}

func TestDefaultLimit(t *testing.T) {
	must.Be(t, MemoryLimit(12345), 12345)
	if got := MemoryLimit(0); got < 1<<20 {
		t.Errorf("the machine's default is %d bytes", got)
	}
}

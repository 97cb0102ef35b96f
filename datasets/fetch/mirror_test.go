package fetch

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestMissingFileOfAUserSet: nobody but the user has it.
func TestMissingFileOfAUserSet(t *testing.T) {
	dir := t.TempDir()
	toml := "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\n"
	e := must.Get(catalogue.Description{TOML: toml, Path: filepath.Join(dir, "set.toml")}.Entry())(t)
	want := "mine: " + filepath.Join(dir, "my.csv") + " is not there; correct the path in the set's TOML file"
	must.Be(t, fmt.Sprint(must.Err((catalogue.Directory{}).Fingerprint(e))), want)
	must.Be(t, fmt.Sprint(Files(t.Context(), catalogue.Directory{}, []*catalogue.Entry{e}, Options{})), want)
}

func TestFetchFromMirrors(t *testing.T) {
	mirror := t.TempDir()
	s := newSite(t)
	entries := []*catalogue.Entry{webEntry("one", sample), webEntry("two", sample)}
	must.Do(t, os.MkdirAll(filepath.Join(mirror, "one"), 0o755))
	must.Do(t, os.WriteFile(filepath.Join(mirror, "one", "one.csv"), []byte(sample), 0o644))
	web := httptest.NewServer(http.FileServer(http.Dir(mirror)))
	t.Cleanup(web.Close)
	for _, from := range []string{mirror, web.URL, web.URL + "/"} {
		o := s.options()
		o.From = from
		store := catalogue.Directory{Root: t.TempDir()}
		err := Files(t.Context(), store, entries, o)
		if err == nil || !strings.HasPrefix(err.Error(), "two: two/two.csv: from "+strings.TrimRight(from, "/")) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("from %s: %v", from, err)
		}
		must.Be(t, leftovers(t, store.Root), []string{"one/one.csv"}, from)
	}
	// The public address has what the mirror lacks.
	s.handlers[webPath("two")] = serve(sample)
	o := s.options()
	o.From = mirror
	store := catalogue.Directory{Root: t.TempDir()}
	must.Do(t, Files(t.Context(), store, entries, o))
	delete(s.handlers, webPath("two"))
	err := Files(t.Context(), catalogue.Directory{Root: t.TempDir()}, entries, o)
	want := "two: two/two.csv: from " + mirror + "/two/two.csv: no such file or directory; from " +
		"https://raw.githubusercontent.com" + webPath("two") + ": the server answers 404 Not Found; run `bench data " +
		"fetch two` again, or take the file from a mirror with --from"
	must.Be(t, fmt.Sprint(err), want)
	o.From = filepath.Join(mirror, "absent")
	must.Say(t, Files(t.Context(), store, entries, o), "is not a directory, nor a URL")
}

func TestFetchZipEntries(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, content := range map[string]string{"bank/a.csv": sample, "b.txt": "notes"} {
		w := must.Get(z.Create(name))(t)
		fmt.Fprint(w, content)
	}
	must.Do(t, z.Close())
	e := webEntry("one", sample)
	e.Files[0].ZipEntry = "a.csv"
	for _, more := range []struct{ path, entry, content string }{{"one/b.txt", "b.txt", "notes"}, {"one/c.txt", "c.txt",
		"none"}} {
		f := e.Files[0]
		f.Path, f.ZipEntry, f.Bytes, f.SHA256 = more.path, more.entry, int64(len(more.content)),
			catalogue.Checksum([]byte(more.content))
		e.Files = append(e.Files, f)
	}
	s := newSite(t)
	s.handlers[webPath("one")] = func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write(archive.Bytes()); err != nil {
			t.Error(err)
		}
	}
	store := catalogue.Directory{Root: t.TempDir()}
	err := Files(t.Context(), store, []*catalogue.Entry{e}, s.options())
	if err == nil || !strings.Contains(err.Error(), "the archive has no entry c.txt; run") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	must.Be(t, leftovers(t, store.Root), []string{"one/b.txt", "one/one.csv"})
	must.Be(t, s.hits[webPath("one")], 1)
	s.handlers[webPath("one")] = serve("no archive")
	err = Files(t.Context(), catalogue.Directory{Root: t.TempDir()}, []*catalogue.Entry{e}, s.options())
	must.Say(t, err, "not a zip archive")
}

func TestFetchWithoutPublicAddress(t *testing.T) {
	built := webEntry("built", sample)
	built.Files[0].Repository, built.Files[0].Note = "", "built from raw recordings"
	err := Files(t.Context(), catalogue.Directory{Root: t.TempDir()}, []*catalogue.Entry{built}, Options{})
	want := "built: built/built.csv: has no public address (built from raw recordings); take it from a mirror that " +
		"has it: `bench data fetch --from DIR built`, DIR being a directory or URL"
	must.Be(t, fmt.Sprint(err), want)
}

func TestFetchDocumentationIsOptional(t *testing.T) {
	s := newSite(t)
	e := webEntry("one", sample)
	s.handlers[webPath("one")] = serve(sample)
	notes := webEntry("notes", "text").Files[0]
	notes.Role = catalogue.RoleDocumentation
	e.Files = append(e.Files, notes)
	o := s.options()
	statuses := map[string]Status{}
	o.Log = func(e Event) { statuses[e.File] = e.Status }
	store := catalogue.Directory{Root: t.TempDir()}
	if err := Files(t.Context(), store, []*catalogue.Entry{e}, o); err != nil ||
		statuses["notes/notes.csv"] != Skipped {
		t.Errorf("statuses %v, error %v", statuses, err)
	}
	must.Do(t, store.Verify(e))
}

func TestFetchGeneratesBalanceWhenItCanBeGotNowhere(t *testing.T) {
	e := must.Get(catalogue.Builtin().Lookup("balance"))(t)
	moons := must.Get(catalogue.Builtin().Lookup("two-moons"))(t)
	store := catalogue.Directory{Root: t.TempDir()}
	must.Do(t, Files(t.Context(), store, []*catalogue.Entry{e, moons}, newSite(t).options()))
	must.Be(t, must.Get(store.State(e))(t), catalogue.Present)
	must.Be(t, leftovers(t, store.Root), []string{"balance/balance.data"})
}

// TestFetchInterrupted cancels in the middle of a body.
func TestFetchInterrupted(t *testing.T) {
	s := newSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.handlers[webPath("one")] = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "8")
		fmt.Fprint(w, sample[:5])
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}
	store := catalogue.Directory{Root: t.TempDir()}
	err := Files(ctx, store, []*catalogue.Entry{webEntry("one", sample), webEntry("two", sample)}, s.options())
	if err == nil || !strings.HasPrefix(err.Error(), "fetching was interrupted") ||
		!strings.HasSuffix(err.Error(), context.Canceled.Error()) {
		t.Errorf("error %v", err)
	}
	if left := leftovers(t, store.Root); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestFetchEverythingFromTheMirror is the way of `bench data fetch --from DIR`.
func TestFetchEverythingFromTheMirror(t *testing.T) {
	store := catalogue.Directory{Root: t.TempDir()}
	thorough := testenv.Thorough(t)
	all := slices.DeleteFunc(catalogue.Builtin().All(), func(e *catalogue.Entry) bool {
		return e.Named || e.Rows > 1000 && !thorough
	})
	var bytesSeen int64
	o := Options{From: testenv.Mirror(t), Client: &http.Client{Transport: &deaf{}}, Log: func(e Event) {
		if e.Status == Done {
			bytesSeen += e.Total
		}
	}}
	must.Do(t, Files(t.Context(), store, all, o))
	if bytesSeen < 3e5 || thorough && bytesSeen < 40e6 {
		t.Errorf("%d bytes fetched", bytesSeen)
	}
	for _, e := range all {
		must.Do(t, store.Verify(e))
		state, err := store.State(e)
		if state != catalogue.Present && state != catalogue.Generated && state != catalogue.Included {
			t.Errorf("%s: %v %v", e.Name, state, err)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Setenv("BENCH_DATA", "/some/where")
	t.Setenv("BENCH_MIRROR", "https://mirror")
	must.Be(t, catalogue.DefaultDir(), "/some/where")
	must.Be(t, DefaultMirror(), "https://mirror")
	t.Setenv("BENCH_DATA", "")
	t.Setenv("XDG_CACHE_HOME", "/cache")
	if filepath.ToSlash(catalogue.DefaultDir()) != "/cache/bench/data" {
		t.Skip("the cache directory of this system is ", catalogue.DefaultDir())
	}
}

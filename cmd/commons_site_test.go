//go:build !race

package cmd_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/browser"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// siteSets are the data sets of the commons that siteCommons makes.
var siteSets = []string{"wine", "sonar", "heart", "iono", "wdbc", "pima"}

// enter commits an entry whose results are those of a reference method under another name. share of its cells were
// computed again.
func enter(t *testing.T, dir, name, like string, share int, day time.Time) {
	t.Helper()
	var runs []result.Run
	for _, r := range must.Get(reference.Runs(reference.Table2))(t) {
		if r.Method == like && slices.Contains(siteSets, r.Dataset) && r.Split <= 5 {
			r.Method, r.MethodVersion = name, "1"
			runs = append(runs, r)
		}
	}
	files := map[string]commons.File{
		commons.EntryFile: {Content: must.Get(commons.Entry{Name: name, Plugin: "mine.sh", Author: "A. <b>Person</b>",
			Description: "As " + like + ".", URL: "https://example.org/"}.Text())(t)},
		commons.LockFile: {}, "mine.sh": {Content: []byte("#!/bin/sh\n# <script>alert(1)</script> \u202e\n")},
	}
	again := runs[:len(runs)*share/100]
	for i := range runs {
		runs[i].Environment = &result.Environment{CPU: "a processor", OS: "linux", Arch: "amd64"}
	}
	r := must.Get(commons.Receipt{Entry: name, EntryHash: commons.EntryHash(files), Caught: 0.99, Gain: 0.2,
		Floor: commons.Floor, Seed: strings.Repeat("5", 64), Deterministic: true}.Of(runs, again,
		result.Environment{ProgramVersion: "v1", CPU: "another", OS: "linux", Arch: "amd64"}, day))(t)
	var results bytes.Buffer
	must.Get(bundle.Write(&results, commons.Replace(runs, again)))(t)
	files[commons.ResultsFile] = commons.File{Content: results.Bytes()}
	files[commons.ReceiptFile] = commons.File{Content: must.Get(r.Text())(t)}
	for file, f := range files {
		at := filepath.Join(dir, commons.Methods, name, file)
		must.Do(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must.Do(t, os.WriteFile(at, f.Content, 0o644))
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", name)
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
}

func siteCommons(t *testing.T) (process, string) {
	p := newProcess(t)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Test")
		t.Setenv("GIT_"+who+"_EMAIL", "test@example.org")
	}
	p.command(t, "commons", "init", "c", "--datasets", strings.Join(siteSets, ","), "--splits", "5").ends(0)
	return p, p.file("c")
}

// TestCommonsSite makes the site of a commons with two entries. One of the entries has two versions, and a version of
// another method was refused.
func TestCommonsSite(t *testing.T) {
	p, dir := siteCommons(t)
	enter(t, dir, "Mine", "CART", 0, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	enter(t, dir, "Mine", "RF", 100, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	enter(t, dir, "Yours", "LDA", 50, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	text := must.Get(commons.Refusal{Entry: "Theirs", EntryHash: strings.Repeat("7", 64), Why: "wine <i>, split 1",
		Date: "2026-04-01T00:00:00Z"}.Text())(t)
	p.write(t, "c/refused/"+strings.Repeat("7", 64)+".json", string(text))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "refused")
	p.command(t, "commons", "site", "c").ends(0)
	read := func(name string) string { return string(must.Get(os.ReadFile(filepath.Join(dir, "site", name)))(t)) }
	index, mine := read("index.html"), read("methods/mine.html")
	must.Hold(t, index, ">again on another kind of machine</td>", ">share computed again</td>", ">reference run</td>",
		"enters: reported", "refused: wine &lt;i&gt;, split 1", "2026-04-01", `href="groups/methods-entries.html"`)
	must.Hold(t, read("groups/methods-entries.html"), `href="../index.html"`, `href="../methods/mine.html"`)
	must.Hold(t, mine, "A. &lt;b&gt;Person&lt;/b&gt;", "&lt;script&gt;alert(1)", `\u202e`,
		`href="Mine.json"`, "bench commons rerun --entries Mine", "2026-02-01", "30 of 30 cells")
	must.Be(t, strings.Contains(mine, "<script>alert"), false, "source is a script")
	p.command(t, "verify", "--receipt", "c/methods/Mine/receipt.json").ends(0)

	// What does not fit its receipt makes no site.
	p.write(t, "c/methods/Yours/mine.sh", "exit 1\n")
	must.Hold(t, p.command(t, "verify", "--receipt", "c/methods/Yours/receipt.json").ends(3).said.String(),
		"another version of the entry")
	git(t, dir, "commit", "-q", "-a", "-m", "changed")
	must.Hold(t, p.command(t, "commons", "site", "c").ends(3).said.String(), "methods/Yours: its files have the hash")
}

// TestCommonsSiteInBrowser: the pages of 60 methods are small, look right and are accessible, on a desktop and a phone.
func TestCommonsSiteInBrowser(t *testing.T) {
	testenv.OnlyThorough(t)
	p, dir := siteCommons(t)
	seen := map[string]int{}
	for _, r := range must.Get(reference.Runs(reference.Table2))(t) {
		if slices.Contains(siteSets, r.Dataset) && r.Split <= 5 && r.Status == result.OK {
			seen[r.Method]++
		}
	}
	entered := 0
	for i := 0; len(seen)+entered < 60; i++ {
		for _, like := range []string{"RF", "CART", "LDA", "LGBM", "GBRFF2"} {
			if seen[like] == 5*len(siteSets) && len(seen)+entered < 60 {
				enter(t, dir, fmt.Sprintf("Entry%02d", entered), like, []int{0, 40, 100}[entered%3],
					time.Date(2026, 1, 1+entered, 0, 0, 0, 0, time.UTC))
				entered++
			}
		}
	}
	p.command(t, "commons", "site", "c").ends(0)
	axe, size := browser.Axe(t), int64(0)
	site := filepath.Join(dir, "site")
	for _, file := range append(must.Get(filepath.Glob(filepath.Join(site, "groups", "*.html")))(t),
		filepath.Join(site, "index.html")) {
		size = max(size, must.Get(os.Stat(file))(t).Size())
	}
	t.Logf("the largest page of %d methods has %d bytes", len(seen)+entered, size)
	if size > 150_000 {
		t.Errorf("a page has %d bytes", size)
	}
	for name, look := range map[string]browser.Look{"desktop": browser.Desktop, "phone": browser.Phone} {
		for _, page := range []string{"index.html", "groups/methods-entries.html", "methods/entry01.html"} {
			tab := browser.Open(t, (&url.URL{Scheme: "file", Path: filepath.Join(site, page)}).String(), look)
			tab.Accessible(axe, page+", "+name)
			wide := browser.Evaluate[int](tab, `document.documentElement.scrollWidth - innerWidth`)
			must.Be(t, max(0, wide), 0, page, name, "is as wide as the window")
			tab.Picture("commons-" + name + "-" + strings.ReplaceAll(page, "/", "-"))
			tab.Quiet()
		}
	}
}

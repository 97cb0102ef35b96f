//go:build !race

package page

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// some has six splits of three sets of sample.Paper, which is few since axe-core looks at every dot of every plot. Some
// cells have failed, and bankmarketing is not counted.
func some() sample.Input {
	in := sample.Paper()
	in.Protocol.Datasets = []string{"wine", "german", "bankmarketing"}
	in.Protocol.Splits = 6
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool {
		return !slices.Contains(in.Protocol.Datasets, r.Dataset) || r.Split > in.Protocol.Splits
	})
	for i := range in.Rows {
		in.Rows[i].Warnings = []result.Warning{{Text: "stopped early", Times: 2}}
		in.Rows[i].CPUSeconds = new(0.1 * float64(1+i%7))
	}
	return in
}

// axe-core finds no serious or critical violation, in light and dark colours, on a desktop and a phone, with all parts
// closed and with all of them open. The console has no message.
func TestAccessible(t *testing.T) {
	testenv.OnlyThorough(t)
	source, file := axeSource(t), written(t, some(), Options{Groups: someGroups})
	looks := map[string]look{
		"light": desktop, "dark": night, "phone": phone,
		"a phone in the dark": {Width: phone.Width, Height: phone.Height, Dark: true, Phone: true},
	}
	for name, l := range looks {
		tab := open(t, file, l)
		tab.Accessible(source, name)
		eval[bool](tab, `document.querySelector("#tab-0").click(), true`)
		tab.Accessible(source, name+", a tab")
		eval[bool](tab, `document.querySelectorAll("details").forEach(d => { d.open = true; }), true`)
		tab.Accessible(source, name+", everything open")
		tab.Picture("open-" + name)
		tab.choose([]string{"GBRFF1", "LGBM", "GBRFF2"}, []string{"wine", "german"})
		tab.Accessible(source, name+", everything open and a choice")
		eval[bool](tab, `document.querySelector("#results .cell").click(), true`)
		tab.Accessible(source, name+", what is behind a number")
		tab.Picture("why-" + name)
		tab.Quiet()
	}
}

// The pages of a site are accessible, too, their cells open the dialog, and the console has no message.
func TestSiteInBrowser(t *testing.T) {
	source := axeSource(t)
	root := siteOf(t, some())
	for _, name := range []string{"index.html", "sets/wine.html", "methods/bmkr.html"} {
		tab := open(t, filepath.Join(root, name), desktop)
		if testenv.Thorough(t) {
			tab.Accessible(source, name)
		}
		eval[bool](tab, `document.querySelector(".cell").click(), true`)
		must.Hold(t, eval[string](tab, `document.querySelector("dialog[open] h2").textContent`), " on ")
		tab.Picture("site-" + strings.ReplaceAll(name, "/", "-"))
		tab.Quiet()
	}
}

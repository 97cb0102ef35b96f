package page

import (
	"html/template"
	"slices"

	"github.com/kernelboosting/bench/reports/doc"
)

// A Commons is what the site of a commons says besides results: where each method comes from, and how much of it was
// computed again. The site has a leaderboard for each group on a page of its own, and loads cells with their method or
// set alone, so that its first page stays small.
type Commons struct {
	Name    string
	Levels  []Level          // from the weakest on
	Others  string           // the level of methods that are no entries
	Entries map[string]Entry // by method
	History []Event          // the latest first
}

// A Level is a name for how much was computed again, and what it means.
type Level struct{ Name, Means string }

// An Entry is a method of a commons.
type Entry struct {
	Level   string
	About   string
	URL     string // of its author's choice, which begins with https://; "" for none
	Facts   [][2]string
	Files   [][2]string // addresses from the entry's page, and what the files are
	Command string      // computes the entry again
	Sources []Source
	History []Event
}

// A Source is a file of an entry.
type Source struct{ Name, Text string }

// An Event is a version of an entry that came or was refused.
type Event struct{ Date, Method, Version, What, Mean string }

// commonsView is what the first page of a commons and those of its groups show.
type commonsView struct {
	*Commons
	Board    *board
	Sentence string
	Legend   []string
	Tabs     [][2]string // names and addresses; the address of the page itself is ""
	History  []Event     // of the first page alone
}

// events is the data of template history.
type events struct {
	Events []Event
	Of     []view // the page, whose methods are named; none on the page of an entry
}

// latest is how many events the first page has. The pages of entries have all.
const latest = 40

// levelOf returns the level of a row and its place among the levels.
func (c *Commons) levelOf(method string) (name string, place int) {
	if name = c.Entries[method].Level; name == "" {
		name = c.Others
	}
	return name, slices.IndexFunc(c.Levels, func(l Level) bool { return l.Name == name })
}

// commonsPages adds the first page of a commons and a page for each group.
func (p *Page) commonsPages(one func(name string, v view) error) error {
	names := doc.Map(p.Tabs, func(t boardTab) string { return t.Of + "-" + t.Group })
	files := doc.Map(ids(names), func(id string) string { return "groups/" + id + ".html" })
	for i := range len(files) + 1 {
		here, root := "index.html", ""
		v := commonsView{Commons: p.commons, Board: p.Board, Sentence: p.Verdict.Sentence}
		if p.Board == nil {
			v.Sentence = p.Verdict.None
		}
		if i > 0 {
			here, root = files[i-1], "../"
			v.Board, v.Sentence = p.Tabs[i-1].Board, p.Tabs[i-1].Sentence
		} else {
			v.History = p.commons.History[:min(latest, len(p.commons.History))]
		}
		if p.Board != nil {
			v.Legend = p.Board.Legend
		}
		for k := range len(files) + 1 {
			tab := [2]string{"all", root + "index.html"}
			if k > 0 {
				tab = [2]string{p.Tabs[k-1].Of + ": " + p.Tabs[k-1].Group, root + files[k-1]}
			}
			if k == i {
				tab[1] = ""
			}
			v.Tabs = append(v.Tabs, tab)
		}
		p.linkSite(root)
		out := p.view("")
		out.Commons, out.Script = &v, boardAlone
		if i > 0 {
			out.Title = v.Tabs[i][0] + ": " + p.Title
		} else {
			out.Nav = [][2]string{{"Who leads", "#leaders"}, {"History", "#history"}, {"Data sets", "#sets"}}
		}
		if err := one(here, out); err != nil {
			return err
		}
	}
	return nil
}

// Link returns the address of a method's page, "" for a method that has none any more.
func (v view) Link(method string) template.URL {
	i := slices.IndexFunc(v.Page.Methods, func(m *methodSection) bool { return m.Name == method })
	if i < 0 {
		return ""
	}
	return template.URL(v.Page.Methods[i].Link) // made by ids
}

package render

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"pgregory.net/rapid"
)

// Blocks hold every column once and in order, the repeated ones each time, no group in two; as few
// as there can be in that order, and no wider than there is room for unless a single group is.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var head []doc.Column
		var widths []int
		if rapid.Bool().Draw(t, "repeated") {
			head, widths = append(head, doc.Column{Kind: doc.Repeated}), append(widths, 8)
		}
		size := rapid.IntRange(1, 3).Draw(t, "columns of a group")
		parts := rapid.IntRange(1, 18).Draw(t, "groups")
		for i := range parts {
			group := ""
			if size > 1 {
				group = string(rune('a' + i))
			}
			for range size {
				head, widths = append(head, doc.Column{Group: group}),
					append(widths, rapid.IntRange(3, 14).Draw(t, "width"))
			}
		}
		room := rapid.IntRange(20, 200).Draw(t, "room")
		got := blocks(head, widths, room)
		var all []int
		fewest, used := 1, 0
		for _, b := range got {
			total := 0
			for _, i := range b {
				total += widths[i]
				if head[i].Kind != doc.Repeated {
					all = append(all, i)
				}
			}
			if repeated := head[0].Kind == doc.Repeated; total > room &&
				len(b) > size+map[bool]int{true: 1}[repeated] || repeated && b[0] != 0 {
				t.Fatalf("block %v of %v is %d wide, there is room for %d", b, got, total, room)
			}
		}
		first := len(head) - size*parts
		for i, column := range all {
			must.Be(t, column, first+i, "blocks", got)
		}
		for p := range parts { // as many in each as fit
			width := 0
			for i := range size {
				width += widths[first+p*size+i]
			}
			left := room
			if first == 1 {
				left -= widths[0]
			}
			if used > 0 && used+width > left {
				fewest, used = fewest+1, 0
			}
			used += width
		}
		must.Be(t, len(all), size*parts)
		must.Be(t, len(got), fewest)
	})
}

// Where the columns are of one width, blocks differ by one column at most.
func TestBlocksAreEven(t *testing.T) {
	head := make([]doc.Column, 16)
	widths := slices.Repeat([]int{12}, 16)
	for room, want := range map[int][]int{0: {16}, 192: {16}, 191: {8, 8}, 66: {4, 4, 4, 4}, 72: {6, 5, 5},
		60: {4, 4, 4, 4}, 5: slices.Repeat([]int{1}, 16)} {
		var got []int
		for _, b := range blocks(head, widths, room) {
			got = append(got, len(b))
		}
		must.Be(t, got, want, "room for", room)
	}
	if blocks(nil, nil, 10) == nil {
		t.Error("a table without columns has no block")
	}
}

// A text table is no wider than it may be, whatever is in it.
func TestTextIsNoWider(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := doc.Table{}
		text := rapid.StringMatching(`[a-zé†_]{0,9}`)
		columns := rapid.IntRange(1, 20).Draw(t, "columns")
		for range columns {
			table.Head = append(table.Head, doc.Column{Name: text.Draw(t, "name"),
				Group: rapid.SampledFrom([]string{"", "g", "long group"}).Draw(t, "group")})
		}
		for range 3 {
			row := doc.Row{Name: text.Draw(t, "row")}
			for range columns {
				row.Entries = append(row.Entries, doc.Entry{Text: text.Draw(t, "cell"),
					Dev:  rapid.SampledFrom([]string{"", "1.0", "12.0"}).Draw(t, "dev"),
					Best: rapid.Bool().Draw(t, "best")})
			}
			table.Sections = append(table.Sections, []doc.Row{row})
		}
		widest := 0 // a single group that does not fit cannot be helped
		l := newTextLayout(table, Options{})
		for _, g := range allGroups(table.Head) {
			w := l.names + gap
			for _, i := range g {
				w += l.widths[i] + gap
			}
			widest = max(widest, w)
		}
		limit := max(widest, rapid.IntRange(30, 140).Draw(t, "width"))
		for _, bold := range []bool{false, true} {
			var out strings.Builder
			textTable(&out, table, Options{Width: limit, Bold: bold})
			for line := range strings.Lines(out.String()) {
				if w := width(strings.TrimSuffix(line, "\n")); w > limit {
					t.Fatalf("a line of %d columns where %d are there:\n%s", w, limit, out.String())
				}
			}
		}
	})
}

// Records of one name are one array, in the order of their columns.
func TestJSONRecords(t *testing.T) {
	a, b := doc.Records{Name: "r", Columns: []string{"z", "a"}}, doc.Records{Name: "r", Columns: []string{"z", "a"}}
	a.Add(1, "<x>")
	b.Add(nil, "y")
	var out bytes.Buffer
	must.Do(t, JSON(&out, doc.Document{Blocks: []doc.Block{a, b}}, Options{}))
	compact := strings.Join(strings.Fields(out.String()), "")
	must.Hold(t, compact, `"records":{"r":[{"z":1,"a":"<x>"},{"z":null,"a":"y"}]}`)
	must.Be(t, len(a.Rows), 1, "the document was changed")
}

// Commands in a note stay code in Markdown, and no other text becomes code.
func TestMarkdownCommands(t *testing.T) {
	for text, want := range map[string]string{
		"of all tests (`bench compare`)":  "of all tests (`bench compare`)",
		"a set named `x` and `bench <b>`": "a set named \\`x\\` and \\`bench &lt;b&gt;\\`",
		"`bench run":                      "\\`bench run",
	} {
		must.Be(t, mdEscape(text), want, text)
	}
}

package plan

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

func TestSplits(t *testing.T) {
	for _, c := range []struct {
		first, these string
		want         []int
	}{
		{"", "", nil}, {"3", "", []int{1, 2, 3}}, {"4-6", "", []int{4, 5, 6}}, {"", "7", []int{7}},
		{"", "5,7", []int{5, 7}}, {"", "9,1-2", []int{1, 2, 9}}, {"", "2-4,3", []int{2, 3, 4}},
	} {
		must.Be(t, must.Get(Splits(c.first, c.these))(t), c.want, c.first, c.these)
	}
	for _, text := range []string{"0", "-3", "3-1", "a", "1-", "2.5", "1,,2", "1 - 2", "99999999999"} {
		must.Say(t, must.Err(Splits(text, "")), "--splits "+text)
		must.Say(t, must.Err(Splits("", text)), "--split ")
	}
	must.Say(t, must.Err(Splits("5,7", "")), "write single splits with --split 5,7")
	must.Say(t, must.Err(Splits("3", "3")), "give one")
}

// Each set of a group exists, and no group has the name of a set or of a protocol, so that a name means one thing.
func TestGroupsOfSets(t *testing.T) {
	all := catalogue.Builtin()
	for group, sets := range all.Groups() {
		if _, err := all.Lookup(group); err == nil || slices.Contains(protocol.Names(), group) {
			t.Errorf("group %s has the name of a set or of a protocol", group)
		}
		for _, name := range sets {
			must.Be(t, must.Get(all.Lookup(name))(t).Name, name, group)
		}
	}
	table2 := must.Get(protocol.Load("table2"))(t)
	must.Be(t, SetNames(all, []string{"Table2"}), table2.Datasets, "the sets of protocol table2")
	if got := SetNames(all, []string{"wine", " SMALL15"}); len(got) != 15 || got[0] != "wine" {
		t.Errorf("wine and the group that holds it: %v, want 15 sets", got)
	}
}

// TestOwnSplitsAreInTheKey: the file of a set's own splits counts where a protocol follows it, and changes no key
// elsewhere.
func TestOwnSplitsAreInTheKey(t *testing.T) {
	grid := []json.RawMessage{json.RawMessage(`{"t":1}`)}
	hash := func(splits string) string { return gridHash(registry.Spec{}, registry.Shape{}, grid, 0, splits) }
	must.Be(t, hash(""), protocol.HashJSON(grid), "the key of a set without splits of its own is another than before")
	if hash("a") == hash("") || hash("a") == hash("b") {
		t.Error("the file of splits is no part of the key")
	}
}

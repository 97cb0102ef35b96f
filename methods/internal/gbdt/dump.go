package gbdt

import (
	"fmt"
	"strings"
)

func (t *Tree) dump(names []string) string {
	name := func(f int32) string {
		if names == nil {
			return fmt.Sprintf("x%d", f)
		}
		return names[f]
	}
	var b strings.Builder
	var walk func(at int32, indent string)
	walk = func(at int32, indent string) {
		if at < 0 {
			fmt.Fprintf(&b, "value %.6g  (%d rows)\n", t.LeafValue[^at], t.LeafCount[^at])
			return
		}
		missing := ""
		if t.MissingNaN[at] && t.DefaultLeft[at] {
			missing = " or missing"
		}
		fmt.Fprintf(&b, "%s <= %.6g%s?  (%d rows, gain %.6g)\n", name(t.Feature[at]), t.Threshold[at], missing, t.NodeCount[at], t.Gain[at])
		b.WriteString(indent + "  yes: ")
		walk(t.Left[at], indent+"  ")
		b.WriteString(indent + "  no:  ")
		walk(t.Right[at], indent+"  ")
	}
	if len(t.Feature) == 0 {
		walk(-1, "")
	} else {
		walk(0, "")
	}
	return b.String()
}

package fitting

import (
	"fmt"
	"strings"
)

// A TreeNode is a node of a tree as DumpTree writes it.
type TreeNode struct {
	Text    string // "age <= 3", or the value of a leaf
	Rows    int
	Inner   bool
	Gain    float64 // of an inner node
	Yes, No int     // the children of an inner node
}

// DumpTree returns tree t of a model as indented text, one line a node. The model has so many trees and features. names
// are the features' names, or nil. node describes a node; it gets a function that names features. The root is node 0.
func DumpTree(model string, t, trees, features int, names []string,
	node func(at int, name func(feature int32) string) TreeNode) (string, error) {
	if t < 0 || t >= trees {
		return "", fmt.Errorf("%s has no tree %d; the number of its trees is %d, and they count from 0", model, t,
			trees)
	}
	if names != nil && len(names) != features {
		return "", fmt.Errorf("%d names for %d features", len(names), features)
	}
	name := func(feature int32) string {
		if names == nil {
			return fmt.Sprintf("x%d", feature)
		}
		return names[feature]
	}
	var b strings.Builder
	var walk func(at int, indent string)
	walk = func(at int, indent string) {
		n := node(at, name)
		if !n.Inner {
			fmt.Fprintf(&b, "%s  (%d rows)\n", n.Text, n.Rows)
			return
		}
		fmt.Fprintf(&b, "%s?  (%d rows, gain %.6g)\n%s  yes: ", n.Text, n.Rows, n.Gain, indent)
		walk(n.Yes, indent+"  ")
		b.WriteString(indent + "  no:  ")
		walk(n.No, indent+"  ")
	}
	walk(0, "")
	return b.String(), nil
}

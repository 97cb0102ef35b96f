package registry

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// WithLibraries returns the version of a method that stands on libraries, whose versions are given by name:
// "1+3fa9c1d2" with two libraries is "1+3fa9c1d2 numpy=2.4.6 sklearn=1.9.1". Neither a name nor a version of a
// library may hold a blank, and a name no "=".
func WithLibraries(own string, libraries map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(libraries)) {
		own += " " + name + "=" + libraries[name]
	}
	return own
}

// Libraries splits a version that WithLibraries made.
func Libraries(version string) (own string, libraries map[string]string) {
	own, rest, _ := strings.Cut(version, " ")
	libraries = map[string]string{}
	for _, part := range strings.Fields(rest) {
		name, v, _ := strings.Cut(part, "=")
		libraries[name] = v
	}
	return own, libraries
}

// OfPlugin reports whether a version is that of a plugin: a hash of its files follows what the plugin says.
func OfPlugin(version string) bool {
	own, _ := Libraries(version)
	_, hash, found := strings.Cut(own, "+")
	return found && len(hash) == 8
}

// OtherLibraries names the libraries in which two versions differ, such as "sklearn was 1.9.0, is 1.9.1 here".
func OtherLibraries(was, is string) []string {
	_, before := Libraries(was)
	_, now := Libraries(is)
	all := maps.Clone(before)
	maps.Copy(all, now)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if b, n := cmp.Or(before[name], "not named"), cmp.Or(now[name], "not named"); b != n {
			out = append(out, fmt.Sprintf("%s was %s, is %s here", name, b, n))
		}
	}
	return out
}

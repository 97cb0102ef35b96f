// Package registry says what a learning method is.
//
// A method is declared as data plus one function: a [Spec] with a name, a
// version, the tasks it solves, a grid of parameters, and a fit function that
// returns a [Model]. [Define] erases the typed parameters once, so that no
// method parses a map and no caller knows a method's types; [DefineRaw] declares
// a method whose parameters are known at run time only. What a method can do
// beyond fitting one setting (several settings that share work, memory
// estimates, loading a saved model) is declared by an [Option]; what a model can
// do beyond scoring ([Stager], [Saver]) is found by type assertion. A [Registry]
// is a plain value that a function builds: there is no global table and no init.
//
// The package runs nothing and stores nothing: splits, folds, selection and the
// database are the harness's. registry/conform holds the suite that every
// method passes.
package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/wording"
)

// A Registry is a set of methods with distinct names. The zero value is empty.
type Registry struct {
	specs  map[string]Spec // by lower-case name
	groups map[string][]string
	others map[string]string // by lower-case alias, the name of the method
	spelt  []string          // the aliases
}

// New returns a registry of the given methods. It panics if a spec was not made
// by Define or DefineRaw, or if two names are equal but for case: both are mistakes of the
// program, found the first time it runs.
func New(specs ...Spec) Registry {
	r := Registry{specs: make(map[string]Spec, len(specs))}
	for _, s := range specs {
		if s.does.fit == nil {
			panic(fmt.Sprintf("registry: method %q was not made by registry.Define", s.Name))
		}
		key := strings.ToLower(s.Name)
		if _, dup := r.specs[key]; dup {
			panic(fmt.Sprintf("registry: two methods are named %q", s.Name))
		}
		r.specs[key] = s
	}
	return r
}

// With returns a registry of r's methods and the given ones; r is unchanged.
func (r Registry) With(specs ...Spec) Registry {
	out := New(append(r.All(), specs...)...)
	out.groups, out.others, out.spelt = r.groups, r.others, r.spelt
	return out
}

// WithAliases returns r with the names that methods have elsewhere, by the name of the method. It panics if an alias is
// the name of a method or a group, or is there twice, or if a method is not there. If a method with the
// name of an alias is added later, such as a plugin, the name means that method.
func (r Registry) WithAliases(aliases map[string][]string) Registry {
	others := map[string]string{}
	for method, names := range aliases {
		if r.specs[strings.ToLower(method)].Name != method {
			panic(fmt.Sprintf("registry: aliases of %q, which is no method", method))
		}
		for _, name := range names {
			key := strings.ToLower(name)
			if _, taken := r.Taken(name); taken != "" || others[key] != "" {
				panic(fmt.Sprintf("registry: alias %q of %s is taken", name, method))
			}
			others[key] = method
			r.spelt = append(r.spelt, name)
		}
	}
	slices.Sort(r.spelt)
	r.others = others
	return r
}

// Alias returns the name of the method that is known elsewhere by a name, ignoring case; "" if there is none, or if a
// method of r has that name itself.
func (r Registry) Alias(name string) string {
	if _, own := r.specs[strings.ToLower(name)]; own {
		return ""
	}
	return r.others[strings.ToLower(name)]
}

// Aliases returns the names that methods have elsewhere: those of one method, or of all for "".
func (r Registry) Aliases(method string) []string {
	return slices.DeleteFunc(slices.Clone(r.spelt), func(alias string) bool {
		of := r.Alias(alias)
		return of == "" || method != "" && of != method
	})
}

// WithGroups returns r with further names, each for several methods. It panics if a group has the name of a method, or
// if a member is not a method.
func (r Registry) WithGroups(groups map[string][]string) Registry {
	all := map[string][]string{}
	maps.Copy(all, r.groups)
	for name, members := range groups {
		if _, taken := r.specs[strings.ToLower(name)]; taken {
			panic(fmt.Sprintf("registry: group %q has the name of a method", name))
		}
		for _, m := range members {
			if _, err := r.Lookup(m); err != nil {
				panic(fmt.Sprintf("registry: group %s: %v", name, err))
			}
		}
		all[name] = members
	}
	r.groups = all
	return r
}

// Groups returns the names that stand for several methods, each with its methods. The caller must not change them.
func (r Registry) Groups() map[string][]string { return r.groups }

// Taken returns the name of a method or a group that is name, or that looks like it or differs in case alone; "" if
// there is none. For a method it returns its Spec, too.
func (r Registry) Taken(name string) (Spec, string) {
	for _, s := range r.specs {
		if wording.Alike(s.Name, name) {
			return s, s.Name
		}
	}
	for group := range r.groups {
		if wording.Alike(group, name) {
			return Spec{}, group
		}
	}
	return Spec{}, ""
}

// All returns the methods sorted by name.
func (r Registry) All() []Spec {
	return slices.SortedFunc(maps.Values(r.specs), func(a, b Spec) int { return strings.Compare(a.Name, b.Name) })
}

// Names returns the methods' names, sorted.
func (r Registry) Names() []string {
	var names []string
	for _, s := range r.All() {
		names = append(names, s.Name)
	}
	return names
}

// Lookup finds a method by name, ignoring case, and by no alias, since results are stored under names. The error
// suggests a similar name or alias, or lists the known names.
func (r Registry) Lookup(name string) (Spec, error) {
	if s, ok := r.specs[strings.ToLower(name)]; ok {
		return s, nil
	}
	return Spec{}, unknown{name, r}
}

// unknown is the error about a name. Its text is made when it is read: reports look up each name of a database.
type unknown struct {
	name string
	r    Registry
}

func (u unknown) Error() string {
	name, r := u.name, u.r
	meant := wording.Suggest(name, r.Names())
	for _, alias := range wording.Suggest(name, r.Aliases("")) {
		of := r.Alias(alias) + " "
		there := func(m string) bool { return strings.HasPrefix(m+" ", of) }
		if 2*len(name) >= len(alias) && !slices.ContainsFunc(meant, there) {
			meant = append(meant, of+"("+alias+")")
		}
	}
	if meant != nil {
		return fmt.Sprintf("no method is named %q; did you mean %s?", name, strings.Join(meant, " or "))
	}
	return fmt.Sprintf("no method is named %q; --plugin FILE adds one; known: %s", name, strings.Join(r.Names(), ", "))
}

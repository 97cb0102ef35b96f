// Sets, tasks and suites of OpenML are added by their numbers ([Adder.Add]).
//
//	openml.go    Add: sets one after another, and the group of a suite
//	answers.go   the server's answers about sets, features, tasks and suites, which are asked for once and kept
//	get.go       files, from a mirror or from the server, compared with the server's MD5
//	describe.go  the description of a set (TOML), which is read back and loaded before it is written
//	suites/      suites whose tasks the program knows
//
// The folder has NAME-ID.toml and NAME-ID.arff for each set, task-ID-splits.arff where a task says how rows are
// divided, and the server's answers in meta/. The folder of another machine can serve as a mirror. What is in the
// folder is not asked for again.

package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/system/files"
)

// PublicServer is the address of OpenML.
const PublicServer = "https://www.openml.org"

// The kinds of things that can be added, as they are written before a number.
const (
	Set   = "openml:"
	Task  = "openml-task:"
	Suite = "openml-suite:"
)

// An Adder adds data sets to a folder.
type Adder struct {
	Dir      string   // the folder, which is made where it is not there
	Server   string   // "" means PublicServer
	From     string   // a mirror: a folder with files of sets, which is asked before the server; "" for none
	Drop     []string // names of further columns that are left out; the set's name says so. None for a suite
	Group    string   // the column that says which rows belong together; the set's name says so. "" for none
	DropText bool     // columns of text are left out; otherwise a set with a column of text is an error
	Memory   int64    // bytes that loading a set may take
	Web      *Polite
	Tell     func(format string, args ...any) // a line on what was done
	// Write writes a description or a group, or refuses to replace one that was edited; nil means files.Write.
	Write func(path string, content func(io.Writer) error) error
}

// A LeftOut is a task of a suite whose set was not added.
type LeftOut struct {
	Task string
	Why  error
}

// Add adds the sets that ref names: "openml:40981", a data set with its default target; "openml-task:146818", a task's
// set with the task's target and splits; "openml-suite:99" or "openml-suite:OpenML-CC18", the sets of a suite's tasks
// and a group of these sets. A set that is already there as described stays untouched. If the set of a suite's task
// cannot be downloaded or read, Add returns the task and adds the remaining sets. It is an error if ref cannot be
// understood, or if what it names cannot be downloaded.
func (a *Adder) Add(ctx context.Context, ref string) ([]LeftOut, error) {
	if err := os.MkdirAll(filepath.Join(a.Dir, "meta"), 0o777); err != nil {
		return nil, fmt.Errorf("%w; choose another data directory with --data", err)
	}
	kind, what, err := parse(ref)
	switch kind {
	case Suite:
		if a.Drop != nil || a.Group != "" {
			return nil, fmt.Errorf("%s: --drop and --group name columns of one set, and this is a suite; add the set "+
				"by its own number", ref)
		}
		return a.suite(ctx, what)
	case Task:
		_, err = a.task(ctx, ListedTask{ID: what})
	case Set:
		_, err = a.set(ctx, what, nil)
	}
	if err != nil && kind != "" {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return nil, err
}

// Check returns an error for a ref that Add cannot understand.
func Check(ref string) error {
	_, _, err := parse(ref)
	return err
}

// parse divides a ref into its kind and a number, or the name of a suite.
func parse(ref string) (kind, what string, err error) {
	for _, kind := range []string{Set, Task, Suite} {
		what, ok := strings.CutPrefix(ref, kind)
		n, err := strconv.Atoi(what)
		number := err == nil && n > 0 && strconv.Itoa(n) == what
		if ok && (number || kind == Suite && err != nil && what != "" && !strings.ContainsAny(what, "/\\?#%")) {
			return kind, what, nil
		}
	}
	return "", "", fmt.Errorf("%q is nothing that can be added; write %s40981 for a data set, %s146818 for a task "+
		"with its splits, %s99 or %sOpenML-CC18 for a suite, with the numbers of %s", ref, Set, Task, Suite, Suite,
		PublicServer)
}

func (a *Adder) suite(ctx context.Context, asked string) ([]LeftOut, error) {
	s, err := a.listed(ctx, asked)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", Suite, asked, err)
	}
	var out []LeftOut
	var names []string
	for i, t := range s.Tasks {
		place := *a
		place.Tell = func(format string, args ...any) {
			a.Tell("%d/%d %s", i+1, len(s.Tasks), fmt.Sprintf(format, args...))
		}
		name, err := place.task(ctx, t)
		switch {
		case err == nil:
			names = append(names, name)
		case ctx.Err() != nil:
			return out, fmt.Errorf("%s%s was interrupted after %d of %d tasks; run it again for the others", Suite,
				asked, i, len(s.Tasks))
		case IsUnreachable(err):
			return out, fmt.Errorf("%s%s: task %s: %w; what is there stays, run it again for the others", Suite, asked,
				t.ID, err)
		default:
			place.Tell("%s is left out: %v", strings.TrimSpace("task "+t.ID+" "+t.Name), err)
			out = append(out, LeftOut{t.ID, err})
		}
	}
	if names == nil {
		return out, fmt.Errorf("%s%s: none of its %d sets can be had or read", Suite, asked, len(s.Tasks))
	}
	group := catalogue.SetName(s.Name + ".group")
	path := filepath.Join(a.Dir, group+catalogue.GroupExtension)
	if err := a.write(path, strings.Join(names, "\n")+"\n"); err != nil {
		return out, err
	}
	a.Tell("group %s has %d of %d sets; `bench run --datasets %s` takes them", group, len(names), len(s.Tasks), group)
	return out, nil
}

// task adds the set of a task, and returns the set's name. It is an error if the list and the server disagree about the
// set.
func (a *Adder) task(ctx context.Context, listed ListedTask) (string, error) {
	t, err := a.taskOf(ctx, listed.ID)
	if err != nil {
		return "", err
	}
	if listed.Set != "" {
		if d, err := a.dataOf(ctx, t.set); err != nil {
			return "", err
		} else if string(d.Name) != listed.Name || t.set != listed.Set {
			return "", fmt.Errorf("the list of the suite says set %s, %s, and the server says set %s, %s", listed.Set,
				listed.Name, t.set, d.Name)
		}
	}
	return a.set(ctx, t.set, t)
}

// set adds a data set, with the target and the splits of a task; nil for the default target and no splits. It returns
// the set's name.
func (a *Adder) set(ctx context.Context, id string, t *task) (string, error) {
	s, err := a.describe(ctx, id, t)
	if err != nil {
		return "", err
	}
	if entry := s.present(a); entry != nil {
		a.Tell("%s is here already", s.Name)
		return s.Name, nil
	}
	data, err := a.data(ctx, s)
	if err != nil {
		return "", err
	}
	s.Files = append(s.Files, data)
	if t != nil && t.splits != "" {
		splits, err := a.file(ctx, []string{"Task_" + t.id + "_splits.arff"}, t.splits, "task-"+t.id+"-splits.arff", "")
		if err != nil {
			return "", fmt.Errorf("the splits: %w", err)
		}
		splits.Role = catalogue.RoleSplits
		s.Files = append(s.Files, splits)
	}
	what, err := s.complete(ctx, a)
	if err != nil {
		return "", err
	}
	if err := a.write(s.path(a), s.toml()); err != nil {
		return "", err
	}
	a.Tell("%s: %s", s.Name, what)
	return s.Name, nil
}

// write writes a file that users may edit.
func (a *Adder) write(path, text string) error {
	if there, err := os.ReadFile(path); a.Write == nil || err == nil && string(there) == text {
		return write(path, text)
	}
	return a.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func write(path, text string) error {
	return files.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// errWrongAnswer is the error for an answer that lacks what every answer of its kind has.
var errWrongAnswer = errors.New("the answer is not what OpenML answers; is the server's address right?")

package fetch

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/system/files"
)

// A text is a string, a number or a truth value of JSON; null, and the empty list that stands for nothing, are "".
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(raw []byte) error {
	var list texts
	err := list.UnmarshalJSON(raw)
	*t = text(strings.Join(list, ","))
	return err
}

// texts is a list of strings, numbers or truth values. In JSON it may be a single value without a list.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(raw []byte) error {
	*t = nil
	var all many[any]
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	for _, each := range all {
		switch each := each.(type) {
		case string:
			*t = append(*t, each)
		case float64:
			*t = append(*t, strconv.FormatFloat(each, 'f', -1, 64))
		case bool:
			*t = append(*t, strconv.FormatBool(each))
		}
	}
	return nil
}

// many is a list. In JSON a list of one element may be this element without a list.
type many[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (m *many[T]) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '[' {
		return json.Unmarshal(raw, (*[]T)(m))
	}
	var one T
	err := json.Unmarshal(raw, &one)
	*m = many[T]{one}
	return err
}

// A description is what the server says of a data set.
type description struct {
	ID       text  `json:"id"`
	Name     text  `json:"name"`
	Version  text  `json:"version"`
	Format   text  `json:"format"`
	Status   text  `json:"status"`
	URL      text  `json:"url"`
	MD5      text  `json:"md5_checksum"`
	Target   text  `json:"default_target_attribute"`
	RowID    text  `json:"row_id_attribute"`
	Ignored  texts `json:"ignore_attribute"`
	Citation text  `json:"citation"`
}

// A feature is a column of a data set.
type feature struct {
	Index   text `json:"index"`
	Name    text `json:"name"`
	Type    text `json:"data_type"` // nominal, numeric, string or date
	Target  text `json:"is_target"`
	Ignored text `json:"is_ignore"`
	RowID   text `json:"is_row_identifier"`
	Missing text `json:"number_of_missing_values"`
}

// A task is what the server says of a task, as far as the package uses it.
type task struct {
	id, set, target string
	classes         bool   // the targets are classes, not numbers
	splits          string // the address of the file of splits; "" if there is none
}

func (a *Adder) dataOf(ctx context.Context, id string) (description, error) {
	var answer struct {
		D description `json:"data_set_description"`
	}
	err := a.ask(ctx, "data/"+id, func() bool { return string(answer.D.ID) == id && answer.D.Name != "" }, &answer)
	return answer.D, err
}

// featuresOf returns the columns of a set, in the order of its file.
func (a *Adder) featuresOf(ctx context.Context, id string) ([]feature, error) {
	var answer struct {
		Features struct {
			Feature many[feature] `json:"feature"`
		} `json:"data_features"`
	}
	err := a.ask(ctx, "data/features/"+id, func() bool {
		for i, f := range answer.Features.Feature {
			if string(f.Index) != strconv.Itoa(i) {
				return false
			}
		}
		return len(answer.Features.Feature) > 0
	}, &answer)
	return answer.Features.Feature, err
}

func (a *Adder) taskOf(ctx context.Context, id string) (*task, error) {
	var answer struct {
		Task struct {
			ID     text `json:"task_id"`
			Type   text `json:"task_type"`
			TypeID text `json:"task_type_id"`
			Input  many[struct {
				Data many[struct {
					ID     text `json:"data_set_id"`
					Target text `json:"target_feature"`
				}] `json:"data_set"`
				Procedure many[struct {
					Splits text `json:"data_splits_url"`
				}] `json:"estimation_procedure"`
			}] `json:"input"`
		} `json:"task"`
	}
	t := &task{id: id}
	err := a.ask(ctx, "task/"+id, func() bool {
		for _, in := range answer.Task.Input {
			for _, d := range in.Data {
				t.set, t.target = string(d.ID), string(d.Target)
			}
			for _, p := range in.Procedure {
				t.splits = string(p.Splits)
			}
		}
		return string(answer.Task.ID) == id && t.set != ""
	}, &answer)
	if err != nil {
		return nil, err
	}
	switch answer.Task.TypeID {
	case "1":
		t.classes = true
	case "2":
	default:
		return nil, fmt.Errorf("the task is of type %q; classification and regression are taken",
			cmp.Or(answer.Task.Type, answer.Task.TypeID))
	}
	if t.target == "" {
		return nil, errors.New("the task names no target")
	}
	return t, nil
}

// ask decodes the server's answer about something. Answers are kept in the folder. If the mirror has the answer, the
// server is not asked. right checks the decoded answer.
func (a *Adder) ask(ctx context.Context, what string, right func() bool, into any) error {
	name := filepath.Join("meta", strings.ReplaceAll(what, "/", "-")+".json")
	places := []string{filepath.Join(a.Dir, name)}
	if a.From != "" {
		places = append(places, filepath.Join(a.From, name))
	}
	for i, place := range places {
		raw, err := files.Read(place, 256<<20)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && (json.Unmarshal(raw, into) != nil || !right()) {
			err = fmt.Errorf("%s: %w; delete the file, and it is asked for again", place, errWrongAnswer)
		}
		if err == nil && i > 0 {
			err = write(places[0], string(raw))
		}
		return err
	}
	address := a.server() + "/api/v1/json/" + what
	raw, err := a.Web.Bytes(ctx, address)
	if refusal := (*Refusal)(nil); errors.As(err, &refusal) {
		if why := whyRefused(refusal.Body); why != "" {
			return fmt.Errorf("%s: %s; look the number up at %s", address, why, PublicServer)
		}
	}
	if err == nil && (json.Unmarshal(raw, into) != nil || !right()) {
		err = errWrongAnswer
	}
	if err != nil {
		return fmt.Errorf("%s: %w%s", address, err, a.offline(err))
	}
	return write(places[0], string(raw))
}

// offline says what helps without a network.
func (a *Adder) offline(err error) string {
	if !IsUnreachable(err) {
		return ""
	}
	return "; run it again with a network, or with --from DIR, a folder openml of another machine's data directory"
}

func (a *Adder) server() string { return strings.TrimRight(cmp.Or(a.Server, PublicServer), "/") }

// whyRefused reads the error of OpenML in a refusal: {"error": {"code": "111", "message": "Unknown dataset"}}. The
// server's newer version writes only detail and code. For any other text the result is "".
func whyRefused(body []byte) string {
	var answer struct {
		Error struct {
			Code    text `json:"code"`
			Message text `json:"message"`
		} `json:"error"`
		Code   text `json:"code"`
		Detail text `json:"detail"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	code, message := cmp.Or(answer.Error.Code, answer.Code), cmp.Or(answer.Error.Message, answer.Detail)
	if code == "" || message == "" {
		return ""
	}
	return fmt.Sprintf("OpenML's error %s, %s", code, message)
}

// A KnownSuite is a list of tasks.
type KnownSuite struct {
	Name  string
	Tasks []ListedTask
	Sizes string // where the sizes of the sets stand; "" if the list has none
}

// A ListedTask is a task of a suite. Set and Name are the number and the name of its data set. Where the list has only
// the numbers of tasks, all else is zero.
type ListedTask struct {
	ID, Set, Name           string
	Rows, Features, Classes int // Features are the columns of the file without the target
}

// SetName is the name of the task's set in the catalogue, after it was added.
func (t ListedTask) SetName() string { return nameOf(t.Name, t.Set) }

func nameOf(set, id string) string { return catalogue.SetName(set+".arff") + "-" + id }

//go:embed suites/*.toml
var suiteFiles embed.FS

// suiteFile is a file of suites/. Each line of its tasks has the number of the task, the number of the set, the set's
// name, rows, features and classes.
type suiteFile struct {
	ID     int    `toml:"id"`
	Name   string `toml:"name"`
	Source string `toml:"source"`
	Sizes  string `toml:"sizes"`
	Tasks  string `toml:"tasks"`
}

// Suites lists the suites whose tasks the program knows, by name.
func Suites() []string {
	var out []string
	for _, s := range readSuites() {
		out = append(out, s.Name)
	}
	return out
}

func readSuites() []suiteFile {
	names, err := fs.Glob(suiteFiles, "suites/*.toml")
	var out []suiteFile
	for _, name := range names {
		var s suiteFile
		if _, err = toml.DecodeFS(suiteFiles, name, &s); err != nil {
			break
		}
		out = append(out, s)
	}
	if err != nil {
		panic("openml: " + err.Error())
	}
	return out
}

// Known returns the suite with this number or name whose tasks the program knows.
func Known(asked string) (KnownSuite, bool) {
	for _, k := range readSuites() {
		if asked != strconv.Itoa(k.ID) && !strings.EqualFold(asked, k.Name) {
			continue
		}
		s := KnownSuite{Name: k.Name, Sizes: k.Sizes}
		for line := range strings.Lines(strings.TrimSpace(k.Tasks)) {
			var t ListedTask
			if _, err := fmt.Sscan(line, &t.ID, &t.Set, &t.Name, &t.Rows, &t.Features, &t.Classes); err != nil {
				panic(fmt.Sprintf("openml: suite %s: %q: %v", k.Name, line, err))
			}
			s.Tasks = append(s.Tasks, t)
		}
		return s, true
	}
	return KnownSuite{}, false
}

// listed returns the tasks of a suite, from the program or from the server.
func (a *Adder) listed(ctx context.Context, asked string) (KnownSuite, error) {
	if s, known := Known(asked); known {
		return s, nil
	}
	var answer struct {
		Study struct {
			ID    text `json:"id"`
			Alias text `json:"alias"`
			Tasks many[struct {
				ID texts `json:"task_id"`
			}] `json:"tasks"`
		} `json:"study"`
	}
	if err := a.ask(ctx, "study/"+url.PathEscape(asked), func() bool {
		return answer.Study.ID != ""
	}, &answer); err != nil {
		return KnownSuite{}, err
	}
	s := KnownSuite{Name: cmp.Or(string(answer.Study.Alias), "openml-suite-"+string(answer.Study.ID))}
	for _, tasks := range answer.Study.Tasks {
		for _, id := range tasks.ID {
			s.Tasks = append(s.Tasks, ListedTask{ID: id})
		}
	}
	if len(s.Tasks) == 0 {
		return s, errors.New("the suite has no tasks")
	}
	if catalogue.SetName(s.Name+".group") == "mydata" {
		s.Name = "openml-suite-" + string(answer.Study.ID)
	}
	return s, nil
}

package testenv

import (
	"cmp"
	"crypto/md5"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// An OpenML is a server that answers as OpenML does, with small data of our own. No answer is a copy of OpenML's:
// the shapes are those of its API (https://www.openml.org/apis), with what differs between its answers: numbers that
// are strings, lists that are one value where they have one, absent lists as [], and errors as JSON under HTTP 412.
//
//	set 7  Berry   two classes, gaps, a row identifier, an ignored column of text; task 107 has 2 repeats of 3 folds
//	set 8  Stones  three classes and a fourth that no row has; task 108 has 5 folds
//	set 9  Tales   a column of text; task 109
//	set 10 Heat    regression; task 110 is a holdout
//	set 11 Broken  another MD5 than that of its file; task 111
//	set 12 Twice   two default targets; task 112 is a clustering
//
// Suite 5 has all tasks, suite 6 task 107 alone.
type OpenML struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	agents map[string]bool
	fault  func(path string) (status int, retryAfter string)
}

// NewOpenML starts a server, which answers until it is closed.
func NewOpenML() *OpenML {
	s := &OpenML{agents: map[string]bool{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Asked returns the paths of the requests since the last call.
func (s *OpenML) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.asked
	s.asked = nil
	return out
}

// Agents returns the User-Agents of all requests.
func (s *OpenML) Agents() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a := range s.agents {
		out = append(out, a)
	}
	return out
}

// Fault makes requests fail: those for which it returns a status other than 0.
func (s *OpenML) Fault(fault func(path string) (status int, retryAfter string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

func (s *OpenML) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	s.agents[r.UserAgent()] = true
	fault := s.fault
	s.mu.Unlock()
	if fault != nil {
		if status, after := fault(r.URL.Path); status != 0 {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(status)
			return
		}
	}
	text, known := s.answers()[r.URL.Path]
	if !known {
		code, message := "111", "Unknown dataset"
		if strings.Contains(r.URL.Path, "/task/") {
			code, message = "151", "Unknown task"
		}
		w.WriteHeader(http.StatusPreconditionFailed)
		text = fmt.Sprintf(`{"error":{"code":"%s","message":"%s"}}`, code, message)
	}
	fmt.Fprint(w, text)
}

type openMLSet struct {
	name, target, extra, features, arff string
	status                              string // "" for active
	wrongMD5                            bool
}

// feature writes a column as the server does.
func feature(index int, name, kind, more string) string {
	return fmt.Sprintf(`{"index":"%d","name":"%s","data_type":"%s","is_target":"false",%s}`, index, name, kind, more)
}

const plain = `"is_ignore":"false","is_row_identifier":"false","number_of_missing_values":"0"`

// openMLRows is how many rows each set has.
const openMLRows = 60

func sets() map[int]openMLSet {
	var berry, stones, tales, heat strings.Builder
	berry.WriteString("% of our own\n@RELATION berry\n@ATTRIBUTE nr NUMERIC\n@ATTRIBUTE 'size in mm' " +
		"REAL\n@ATTRIBUTE " +
		"colour {red,blue}\n@ATTRIBUTE note STRING\n@ATTRIBUTE sort {sweet,sour}\n@DATA\n")
	stones.WriteString("@RELATION stones\n@ATTRIBUTE weight NUMERIC\n@ATTRIBUTE batch NUMERIC\n@ATTRIBUTE kind " +
		"{basalt,chalk,flint,marble}\n@DATA\n")
	tales.WriteString("@RELATION tales\n@ATTRIBUTE words NUMERIC\n@ATTRIBUTE beginning STRING\n@ATTRIBUTE end " +
		"{good,bad}\n@DATA\n")
	heat.WriteString("@RELATION heat\n@ATTRIBUTE hour NUMERIC\n@ATTRIBUTE degrees NUMERIC\n@DATA\n")
	for i := range openMLRows {
		size, colour := fmt.Sprintf("%d.5", i*7%23), []string{"red", "blue"}[i*5%7%2]
		if i%10 == 3 {
			size = "?"
		}
		if i%12 == 5 {
			colour = "?"
		}
		fmt.Fprintf(&berry, "%d,%s,%s,'from row %d',%s\n", i+1, size, colour, i, []string{"sour", "sweet"}[i*7%23/12])
		fmt.Fprintf(&stones, "%d,%d,%s\n", i*11%31, i/6, []string{"basalt", "chalk", "flint"}[i%3])
		fmt.Fprintf(&tales, "%d,'once %d',%s\n", i*13%29, i, []string{"good", "bad"}[i%2])
		fmt.Fprintf(&heat, "%d,%d.25\n", i%24, (i%24-12)*(i%24-12)/9)
	}
	list := func(features ...string) string { return "[" + strings.Join(features, ",") + "]" }
	return map[int]openMLSet{
		7: {
			name: "Berry", target: "sort", arff: berry.String(),
			extra: `"row_id_attribute":"nr","ignore_attribute":["note"],`,
			features: list(feature(0, "nr", "numeric", strings.Replace(plain, `identifier":"false`, `identifier":"true`,
				1)),
				feature(1, "size in mm", "numeric",
					`"is_ignore":"false","is_row_identifier":"false","number_of_missing_values":"6"`),
				feature(2, "colour", "nominal",
					`"nominal_value":["red","blue"],"is_ignore":"false","is_row_identifier":"false",`+
						`"number_of_missing_values":"5"`),
				feature(3, "note", "string", strings.Replace(plain, `ignore":"false`, `ignore":"true`, 1)),
				feature(4, "sort", "nominal", `"nominal_value":["sweet","sour"],`+plain)),
		},
		8: {
			name: "Stones", target: "kind", arff: stones.String(),
			extra: `"row_id_attribute":[],"ignore_attribute":"batch",`,
			features: list(feature(0, "weight", "numeric", plain), feature(1, "batch", "numeric", plain),
				feature(2, "kind", "nominal", `"nominal_value":["basalt","chalk","flint","marble"],`+plain)),
		},
		9: {
			name: "Tales", target: "end", arff: tales.String(),
			features: list(feature(0, "words", "numeric", plain), feature(1, "beginning", "string", plain),
				feature(2, "end", "nominal", `"nominal_value":["good","bad"],`+plain)),
		},
		10: {name: "Heat", target: "degrees", status: "deactivated", arff: heat.String(),
			features: list(feature(0, "hour", "numeric", plain), feature(1, "degrees", "numeric", plain))},
		11: {
			name: "Broken", target: "degrees", arff: heat.String(), wrongMD5: true,
			features: list(feature(0, "hour", "numeric", plain), feature(1, "degrees", "numeric", plain)),
		},
		12: {name: "Twice", target: "a,b", arff: "", features: list(feature(0, "a", "numeric", plain),
			feature(1, "b", "numeric", plain))},
	}
}

// splits writes a file of splits as the server does. Fold f of repeat r tests the rows i with (i*(r+1)) / folds mod
// folds = f; a holdout (folds = 1) tests each third row.
func splits(repeats, folds int) string {
	var b strings.Builder
	b.WriteString("@RELATION splits\n@ATTRIBUTE type {TRAIN,TEST}\n@ATTRIBUTE rowid INTEGER\n@ATTRIBUTE repeat " +
		"INTEGER\n@ATTRIBUTE fold INTEGER\n@DATA\n")
	for r := range repeats {
		for f := range folds {
			for i := range openMLRows {
				kind := "TRAIN"
				if folds > 1 && i*(r+1)/folds%folds == f || folds == 1 && i%3 == 0 {
					kind = "TEST"
				}
				fmt.Fprintf(&b, "%s,%d,%d,%d\n", kind, i, r, f)
			}
		}
	}
	return b.String()
}

func (s *OpenML) answers() map[string]string {
	const api = "/api/v1/json/"
	out := map[string]string{
		api + "study/5": `{"study":{"id":"5","alias":"all-of-ours","main_entity_type":"task",` +
			`"name":"All of ours","tasks":{"task_id":["107","108","109","110","111","112"]}}}`,
		api + "study/6": `{"study":{"id":"6","main_entity_type":"task","name":"One alone",` +
			`"tasks":{"task_id":"107"}}}`,
		"/api_splits/get/107/107.arff": splits(2, 3), "/api_splits/get/108/108.arff": splits(1, 5),
		"/api_splits/get/109/109.arff": splits(1, 5), "/api_splits/get/110/110.arff": splits(1, 1),
		"/api_splits/get/111/111.arff": splits(1, 5),
	}
	for id, d := range sets() {
		sum := md5.Sum([]byte(d.arff))
		if d.wrongMD5 {
			sum[0]++
		}
		out[fmt.Sprint(api, "data/", id)] = fmt.Sprintf(
			`{"data_set_description":{"id":"%d","name":"%s","version":"2","description":"Of our own.","format":"ARFF",`+
				`"licence":"Public","file_id":"%d","url":"%s/data/v1/download/%d/%s.arff","status":"%s",`+
				`"default_target_attribute":"%s",%s"md5_checksum":"%x"}}`,
			id, d.name, 1000+id, s.URL, 1000+id, d.name, cmp.Or(d.status, "active"), d.target, d.extra, sum)
		out[fmt.Sprint(api, "data/features/", id)] = fmt.Sprintf(`{"data_features":{"feature":%s}}`, d.features)
		out[fmt.Sprintf("/data/v1/download/%d/%s.arff", 1000+id, d.name)] = d.arff
		task, kind, number := 100+id, "Supervised Classification", 1
		if d.target == "degrees" {
			kind, number = "Supervised Regression", 2
		} else if id == 12 {
			kind, number = "Clustering", 5
		}
		out[fmt.Sprint(api, "task/", task)] = fmt.Sprintf(
			`{"task":{"task_id":"%d","task_name":"Task %d","task_type_id":"%d","task_type":"%s",`+
				`"input":[{"name":"source_data","data_set":{"data_set_id":"%d","target_feature":"%s"}},`+
				`{"name":"estimation_procedure","estimation_procedure":{"id":"1","type":"crossvalidation",`+
				`"data_splits_url":"%s/api_splits/get/%d/%d.arff","parameter":[{"name":"number_repeats",`+
				`"value":"1"}]}},{"name":"cost_matrix","cost_matrix":[]}],"output":[]}}`,
			task, task, number, kind, id, d.target, s.URL, task, task)
	}
	return out
}

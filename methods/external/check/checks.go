package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/npy"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// seed is the seed of the generated data and of the fits.
const seed = 11

func order(n int) []int { return rng.New(seed).Permutation(n) }

// checks are in the order in which they run: a failure often explains later failures.
var checks = []check{
	{"describe", "answer the request describe as docs/reference/plugin-protocol.md says, and print nothing else to " +
		"standard output", (*session).describe},
	{"grid", "keep every value of the grid inside the range of its parameter", (*session).grid},
	{"shapes", "return one finite score a row, or one for each class", (*session).shapes},
	{"noise", "print to standard error; in Python import benchplugin before all else", (*session).noise},
	{"learns", "look at the sign of the scores and at the order of the rows", (*session).learns},
	{"same again", "draw every random number from the seed of the request, or say deterministic=False",
		(*session).sameAgain},
	{"another process", "let nothing depend on the time, the process or the order of a set", (*session).anotherProcess},
	{"state", "keep nothing of the data of a fit for fits of other data: no cache, no warm start",
		(*session).keptState},
	{"points apart", "keep nothing from one fit to the next, and do not change the training data in place",
		(*session).pointsApart},
	{"data unchanged", "do not write to the files of the request", (*session).dataUnchanged},
	{"labels permuted", "find out where the method sees the labels of rows that it is to score",
		(*session).labelsPermuted},
	{canaryCheck, "find out how the method comes to know the labels of rows that it is to score",
		(*session).labelsKnown},
	{"test labels", "nothing: this is about bench", (*session).testLabels},
	{"rows permuted", "score each row by itself", (*session).rowsPermuted},
	{"row by row", "score each row by itself, whatever other rows there are", (*session).rowByRow},
	{"one class", "return a model that says this class, or an error", awkward("one class")},
	{"equal rows", "accept equal rows with different targets", awkward("equal rows")},
	{"constant feature", "accept a feature that is the same in all rows", awkward("constant feature")},
	{"gaps", "accept NaN where a value is missing, or leave gaps out of the description", (*session).gaps},
	{"few rows", "return a model or an error; do not end the process", awkward("one row", "two rows")},
	{"path", "make models of several grid points equal to those of single fits", (*session).path},
	{"stages", "make the last stage equal to the whole model's scores", (*session).stages},
	{"save and load", "write all that a model's scores depend on", (*session).saveAndLoad},
	{"unknown request", `answer {"id":N,"error":"..."} to an operation that is not known, and go on`,
		(*session).unknown},
	{"memory", "forget the models that the field drop of a request names", (*session).memory},
	{"cancellation", "start processes only in the plugin's own process group", (*session).cancellation},
	{"ends", "end when standard input ends", (*session).ends},
}

func (s *session) describe() (string, error) {
	p, err := external.Load(s.ctx, s.file, s.options())
	if err != nil {
		return "", err
	}
	s.plugin, s.spec = p, p.Spec()
	s.task = s.spec.Tasks & -s.spec.Tasks
	d := p.Describes()
	return fmt.Sprintf("%s %s, %s, protocol %d to %d, libraries %d, further files %d", s.spec.Name, s.spec.Version,
		s.spec.Tasks, d.Protocol[0], d.Protocol[1], len(d.Libraries), len(d.Files)), nil
}

func (s *session) grid() (string, error) {
	n := 0
	for _, d := range []registry.Data{toydata.Easy(s.task, 50, 1, seed), toydata.Easy(s.task, 200, 60, seed)} {
		points, err := s.subject().Points(d, math.MaxInt)
		if err != nil {
			return "", err
		}
		n = len(points)
	}
	return fmt.Sprintf("grid points %d", n), nil
}

// tasks calls try for each task that the plugin solves.
func (s *session) tasks(try func(task registry.Task) error) error {
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		if s.spec.Tasks&task != 0 {
			if err := try(task); err != nil {
				return fmt.Errorf("%s: %w", task, err)
			}
		}
	}
	return nil
}

func (s *session) shapes() (string, error) {
	return "1, 2 and 40 features; one row and many", s.tasks(func(task registry.Task) error {
		for _, dims := range [][2]int{{24, 1}, {60, 2}, {48, 40}} {
			d := toydata.Easy(task, dims[0], dims[1], seed)
			m, err := s.fit(d, nil)
			if err != nil {
				return err
			}
			for _, test := range []registry.Data{d, toydata.Rows(d, []int{3})} {
				if _, err := s.scores(m, test); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// noise: any other line would already have been bad output of an earlier fit.
func (s *session) noise() (string, error) {
	_, err := s.defaults(toydata.Easy(s.task, 60, 3, seed), toydata.Easy(s.task, 60, 3, seed))
	return "nothing but answers on standard output", err
}

func (s *session) learns() (string, error) {
	var seen []string
	err := s.tasks(func(task registry.Task) error {
		learn, test := toydata.Easy(task, 240, 3, seed), toydata.Easy(task, 240, 3, seed+1)
		points, err := s.subject().Points(learn, 5)
		if err != nil {
			return err
		}
		best, err := s.subject().Best(learn, test, points)
		if err != nil {
			return err
		}
		if best < 0.8 {
			return fmt.Errorf("the best of %d grid points reaches %.2f on easy data; 0.8 is asked%s", len(points), best,
				s.sided(learn, test))
		}
		seen = append(seen, fmt.Sprintf("%.2f", best))
		return nil
	})
	return "on easy data " + strings.Join(seen, ", "), err
}

// sided says that the scores of two classes, with the defaults, have one sign alone, although their order is right.
func (s *session) sided(learn, test registry.Data) string {
	scores, err := s.defaults(learn, test)
	if err != nil || learn.Task != registry.Binary || slices.Min(scores) < 0 && slices.Max(scores) >= 0 {
		return ""
	}
	class, sorted := "-1", slices.Sorted(slices.Values(scores))
	if scores[0] >= 0 {
		class = "+1"
	}
	shifted := slices.Clone(scores)
	for i := range shifted {
		shifted[i] -= sorted[len(sorted)/2]
	}
	if right := toydata.Goodness(test, shifted); right < 0.8 {
		return ""
	}
	return fmt.Sprintf("; the sign of every score says class %s, although their order separates the classes: scores "+
		"above 0 are for class +1, so take 1/2 from probabilities, 50 from percentages", class)
}

func (s *session) deterministic() error {
	if d := s.plugin.Describes(); d.Deterministic != nil && !*d.Deterministic {
		return errSkip{"the plugin says that it is not deterministic; bench verify will report differences"}
	}
	return nil
}

func (s *session) sameAgain() (string, error) {
	return "two fits give the same bits", s.twice("a second fit",
		func(d registry.Data) ([]float64, error) { return s.defaults(d, d) })
}

func (s *session) anotherProcess() (string, error) {
	return "two processes give the same bits", s.twice("a fit in another process",
		func(d registry.Data) ([]float64, error) { return s.inAnother(d) })
}

// inAnother trains the defaults in another process on one sample after another, and scores each. It returns the last
// scores.
func (s *session) inAnother(samples ...registry.Data) (scores []float64, err error) {
	other, err := external.Load(s.ctx, s.file, s.another())
	if err != nil {
		return nil, err
	}
	defer other.Close()
	if v := other.Spec().Version; v != s.spec.Version {
		return nil, fmt.Errorf("another process says version %s, not %s", v, s.spec.Version)
	}
	here := s.spec
	defer func() { s.spec = here }()
	s.spec = other.Spec()
	for _, d := range samples {
		if scores, err = s.defaults(d, d); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

// twice compares the scores of a fit with the scores of a second fit, which the function fit makes.
func (s *session) twice(what string, fit func(d registry.Data) ([]float64, error)) error {
	if err := s.deterministic(); err != nil {
		return err
	}
	d := toydata.Easy(s.task, 120, 4, seed)
	first, err := s.defaults(d, d)
	if err != nil {
		return err
	}
	second, err := fit(d)
	if err == nil {
		err = toydata.Equal(what, second, first)
	}
	return err
}

func (s *session) pointsApart() (string, error) {
	if err := s.deterministic(); err != nil {
		return "", err
	}
	d := toydata.Easy(s.task, 120, 4, seed)
	points, err := s.subject().Points(d, 2)
	if err != nil {
		return "", err
	}
	alone, err := s.subject().FitAndScore(d, d, points[0])
	if err != nil {
		return "", err
	}
	order := []json.RawMessage{points[0], points[len(points)-1], points[0]}
	err = s.spec.FitAll(s.ctx, registry.Env{Seed: seed}, d, order, func(i int, m registry.Model) error {
		got, err := s.scores(m, d)
		if err == nil && i != 1 {
			err = toydata.Equal("a fit after others", got, alone)
		}
		return err
	})
	return "a fit after others gives the same bits", err
}

// dataUnchanged: after a fit the files of its request still hold what was written to them.
func (s *session) dataUnchanged() (string, error) {
	d := toydata.Easy(s.task, 60, 3, seed)
	points, err := s.subject().Points(d, 2)
	if err != nil {
		return "", err
	}
	var x, y bytes.Buffer
	if err := errors.Join(npy.Write(&x, d.X), npy.Write(&y, d.Y)); err != nil {
		return "", err
	}
	s.forget()
	compared := 0
	err = s.spec.FitAll(s.ctx, registry.Env{Seed: seed}, d, points, func(i int, m registry.Model) error {
		if _, err := s.scores(m, d); err != nil {
			return err
		}
		for _, r := range s.seen() {
			for name, want := range map[string][]byte{r.X: x.Bytes(), r.Y: y.Bytes()} {
				if name == "" {
					continue
				}
				if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
					return fmt.Errorf("a file of a request to %s was changed by the plugin", r.Op)
				}
				compared++
			}
		}
		return nil
	})
	return fmt.Sprintf("files of rows and targets compared %d times", compared), err
}

// labelsPermuted: neither the labels to learn nor the labels to predict depend on the rows. A method that is
// right more often than by chance has seen labels that it must not see.
func (s *session) labelsPermuted() (string, error) {
	learn, test := toydata.Easy(s.task, 200, 4, seed), toydata.Easy(s.task, 400, 4, seed+1)
	learn.Y, test.Y = toydata.Rows(learn, order(200)).Y, toydata.Rows(test, order(400)).Y
	scores, err := s.defaults(learn, test)
	if err != nil {
		return "", err
	}
	reached := toydata.Goodness(test, scores)
	chance := map[registry.Task]float64{registry.Binary: 0.5, registry.Multiclass: 1.0 / 3}[s.task]
	if reached > chance+0.12 { // nearly five standard deviations for 400 rows
		return "", fmt.Errorf("trained on permuted labels it reaches %.2f on other rows; chance is %.2f", reached,
			chance)
	}
	return fmt.Sprintf("trained on permuted labels it reaches %.2f, chance is %.2f", reached, chance), nil
}

func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

func (s *session) seen() []external.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// testLabels: a request to score rows holds no target.
func (s *session) testLabels() (string, error) {
	s.forget()
	learn, test := toydata.Easy(s.task, 60, 3, seed), toydata.Easy(s.task, 40, 3, seed+1)
	if _, err := s.defaults(learn, test); err != nil {
		return "", err
	}
	n := 0
	for _, r := range s.seen() {
		if r.Op == "score" {
			n++
			if r.Y != "" {
				return "", fmt.Errorf("a request to score names the file %s of targets", r.Y)
			}
		}
	}
	if n == 0 {
		return "", errors.New("no request to score was seen")
	}
	return "a request to score names no targets", nil
}

func (s *session) rowsPermuted() (string, error) {
	learn, test := toydata.Easy(s.task, 100, 3, seed), toydata.Easy(s.task, 80, 3, seed+1)
	m, err := s.fit(learn, nil)
	if err != nil {
		return "", err
	}
	straight, err := s.scores(m, test)
	if err != nil {
		return "", err
	}
	by := order(80)
	mixed, err := s.scores(m, toydata.Rows(test, by))
	if err != nil {
		return "", err
	}
	k := test.Shape().Outputs()
	want := make([]float64, 0, len(mixed))
	for _, r := range by {
		want = append(want, straight[r*k:(r+1)*k]...)
	}
	return "rows in another order have the same scores", toydata.Near("rows in another order", mixed, want, 1e-9)
}

func (s *session) rowByRow() (string, error) {
	d := toydata.Easy(s.task, 40, 3, seed)
	m, err := s.fit(d, nil)
	if err != nil {
		return "", err
	}
	return "a row alone has the score that it has among others", s.subject().OneByOne(m, d, 10, 1e-6)
}

// awkward returns the check for the awkward data sets of the given names. The method must give a model or, if the data
// need not have a model, an error of its own. The process must not end.
func awkward(names ...string) func(*session) (string, error) {
	return func(s *session) (said string, err error) {
		for _, a := range toydata.AwkwardData(s.task, seed) {
			if !slices.Contains(names, a.Name) {
				continue
			}
			got, err := s.defaults(a.Data, a.Data)
			var own *external.MethodError
			switch {
			case err == nil:
				said = fmt.Sprintf("a model, right %.2f", toydata.Goodness(a.Data, got))
			case errors.As(err, &own) && !a.Learnable:
				said = "an error: " + own.Message
			default:
				return "", fmt.Errorf("%s: %w", a.Name, err)
			}
		}
		return said, nil
	}
}

// gaps checks that a plugin that declares missing values learns from rows with missing values. In one row all values
// are missing.
func (s *session) gaps() (string, error) {
	if !s.spec.Gaps {
		return "", errSkip{"the plugin does not say that it takes missing values; sets whose gaps stay are not run " +
			"with it"}
	}
	d := toydata.Easy(s.task, 40, 3, seed)
	for i := range 40 {
		if d.X.Set(i, i%3, math.NaN()); i == 7 {
			d.X.SetRow(i, []float64{math.NaN(), math.NaN(), math.NaN()})
		}
	}
	got, err := s.defaults(d, d)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("a model, right %.2f", toydata.Goodness(d, got)), nil
}

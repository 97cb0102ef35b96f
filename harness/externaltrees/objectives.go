package externaltrees

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/elementary"
)

// A link is how sums of trees become predictions of a number.
type link int

const (
	plain  link = iota // as they are
	logit              // by the logistic function
	log                // by the exponential function
	square             // squared, with their sign
)

// An objective is what a model was trained for: the tasks that its scores are for, and its link.
type objective struct {
	name  string
	tasks []registry.Task
	link  link
}

var (
	ofBinary     = []registry.Task{registry.Binary}
	multiclass   = []registry.Task{registry.Multiclass}
	regression   = []registry.Task{registry.Regression}
	ofProportion = []registry.Task{registry.Binary, registry.Regression}
)

// objectives are those whose scores are read, of both libraries. For two classes the score is the sum of trees in each.
var objectives = []objective{
	{"binary", ofBinary, logit}, {"cross_entropy", ofProportion, logit}, {"multiclass", multiclass, plain},
	{"multiclassova", multiclass, plain}, {"regression", regression, plain}, {"regression_l2", regression, plain},
	{"regression_l1", regression, plain}, {"huber", regression, plain}, {"fair", regression, plain},
	{"quantile", regression, plain}, {"mape", regression, plain}, {"poisson", regression, log},
	{"gamma", regression, log}, {"tweedie", regression, log},

	{"binary:logistic", ofBinary, logit}, {"binary:logitraw", ofBinary, plain}, {"binary:hinge", ofBinary, plain},
	{"multi:softprob", multiclass, plain}, {"multi:softmax", multiclass, plain}, {"reg:logistic", ofProportion, logit},
	{"reg:squarederror", regression, plain}, {"reg:absoluteerror", regression, plain},
	{"reg:pseudohubererror", regression, plain}, {"reg:quantileerror", regression, plain},
	{"reg:squaredlogerror", regression, plain}, {"count:poisson", regression, log}, {"reg:gamma", regression, log},
	{"reg:tweedie", regression, log},
}

// objectiveOf returns the objective that a file says. LightGBM writes its settings behind the name; those of the form
// key:value leave the scores as they are.
func objectiveOf(said string) (objective, error) {
	words := strings.Fields(said)
	if len(words) == 0 {
		return objective{}, errors.New("it says no objective, as with one of its author's own; " + byImport)
	}
	for _, family := range []string{"rank:", "lambdarank", "rank_xendcg", "survival:"} {
		if strings.HasPrefix(said, family) {
			return objective{}, fmt.Errorf("its objective %q orders rows or predicts survival: no task here", said)
		}
	}
	i := slices.IndexFunc(objectives, func(o objective) bool { return o.name == words[0] })
	if i < 0 {
		return objective{}, fmt.Errorf("its objective %q is not known here; %s", said, byImport)
	}
	o := objectives[i]
	for _, word := range words[1:] {
		switch {
		case word == "sqrt" && o.name == "regression":
			o.link = square
		case !strings.Contains(word, ":"):
			return objective{}, fmt.Errorf("its objective %q has the setting %q, which is not known here", said, word)
		}
	}
	return o, nil
}

// score turns a sum of trees into a score of a task. Both libraries give a row with the sum 0 to the first of two
// classes, where a score of 0 means the second.
func (o objective) score(sum float64, task registry.Task) float64 {
	switch {
	case task == registry.Binary && sum == 0:
		return -math.SmallestNonzeroFloat64
	case task != registry.Regression || o.link == plain:
		return sum
	case o.link == square:
		return sum * math.Abs(sum)
	case o.link == log:
		return exp(sum)
	}
	return 1 / (1 + exp(-sum))
}

// margin is the sum that belongs to a prediction, in single precision as XGBoost computes it. It is NaN or infinite if
// the objective cannot have that prediction.
func (o objective) margin(prediction float64) float32 {
	p := float32(prediction)
	switch o.link {
	case logit:
		return -float32(elementary.Log(float64(1/p - 1)))
	case log:
		return float32(elementary.Log(float64(p)))
	}
	return p
}

// exp is the exponential function. Its last bit may depend on the processor, as it does in both libraries.
func exp(x float64) float64 { return math.Exp(x) }

package curves

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
)

// SmoothLoss is the epsilon-insensitive gamma-logistic loss of a residual.
func SmoothLoss(epsilon, gamma, residual float64) float64 {
	return (softplus(gamma*(residual-epsilon)) + softplus(gamma*(-residual-epsilon)) - 2*softplus(
		-gamma*epsilon)) / gamma
}

// softplus is log(1 + exp t).
func softplus(t float64) float64 { return max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))) }

// ExactLoss is the epsilon-insensitive loss of a residual.
func ExactLoss(epsilon, residual float64) float64 { return max(0, math.Abs(residual)-epsilon) }

// LargestDifference is the largest absolute difference of the two losses. Smooth less Exact rises up to a residual
// of epsilon and falls beyond, to a limit below zero, so the largest difference is at epsilon or at infinity.
func LargestDifference(epsilon, gamma float64) float64 {
	return max(SmoothLoss(epsilon, gamma, epsilon), 2*softplus(-gamma*epsilon)/gamma)
}

// reach is the largest residual of the drawing, and steps is the number of residuals on each side of 0.
const (
	reach = 1.0
	steps = 40
)

// Loss draws the loss that RFF-MKL minimises (Bazavan, Li and Sminchisescu, ECCV 2012, before eq. (20)) and the
// epsilon-insensitive loss that it approximates, as the right half of the paper's Figure 1 does. The package has
// the formula as printed, and reads no result. Package methods/fourier computes the same loss in another form.
//
// The result is the document, with a curve for each gamma. It is an error if epsilon is negative, if a gamma is not
// positive, or if there is no gamma.
func Loss(epsilon float64, gammas []float64) (doc.Document, error) {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return doc.Document{}, fmt.Errorf("epsilon = %g; it must be 0 or more", epsilon)
	}
	if len(gammas) == 0 {
		return doc.Document{}, fmt.Errorf("sharpness is missing: one number above 0 or several")
	}
	t := doc.Table{Corner: "Loss", Legend: []string{"Columns: residual, the prediction less the target; largest: " +
		"the largest difference from the exact loss over all residuals."}}
	at := []float64{0, 0.1, 0.25, 0.5, 1}
	for _, r := range at {
		t.Head = append(t.Head, doc.Column{Name: frame.Short(r)})
	}
	t.Head = append(t.Head, doc.Column{Name: "largest"})
	var curves []plot.Curve
	records := doc.Records{Name: "loss", Columns: []string{"epsilon", "sharpness", "residual", "loss"}}
	add := func(name, largest string, gamma any, of func(r float64) float64) {
		c, row := plot.Curve{Name: name}, []string(nil)
		for i := -steps; i <= steps; i++ {
			r := reach * float64(i) / steps
			c.Points = append(c.Points, plot.Point{X: r, Y: of(r)})
			records.Add(epsilon, gamma, r, of(r))
		}
		for _, r := range at {
			row = append(row, frame.Number(of(r), 4))
		}
		t.Add(name, doc.Texts(append(row, largest)...)...)
		curves = append(curves, c)
	}
	add("exact", frame.Absent, nil, func(r float64) float64 { return ExactLoss(epsilon, r) })
	for _, gamma := range gammas {
		if !(gamma > 0) || math.IsInf(gamma, 1) {
			return doc.Document{}, fmt.Errorf("sharpness = %g; it must be above 0", gamma)
		}
		add("sharpness = "+frame.Short(gamma), frame.Number(LargestDifference(epsilon, gamma), 4), gamma,
			func(r float64) float64 { return SmoothLoss(epsilon, gamma, r) })
	}
	title := fmt.Sprintf("The loss of RFF-MKL and the epsilon-insensitive loss, epsilon = %s", frame.Short(epsilon))
	return doc.Document{Report: "loss", Title: title, Label: "fig:loss", Blocks: []doc.Block{doc.Figure{
		Name: "loss", Title: "The loss of RFF-MKL", About: title, Numbers: &t, Alt: title + ", by the residual",
		Plot: plot.Curves(curves, nil, "", plot.Axis{Title: "residual"}, plot.Axis{Title: "loss"}),
	}, records}}, nil
}

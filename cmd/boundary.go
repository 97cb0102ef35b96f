package cmd

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

// boundaryOptions say whose boundaries are drawn.
type boundaryOptions struct {
	methods, datasets []string
	split             int
	rounds            []int
	loss              bool
}

func (f *boundaryOptions) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.datasets, "datasets", nil, "data sets of two features and two classes")
	flags.IntVar(&f.split, "split", 1, "the split whose training rows the models learn from")
	flags.IntSliceVar(&f.rounds, "rounds", nil, "draw the models after these numbers of rounds, e.g. 1,5,10")
	flags.BoolVar(&f.loss, "loss", false, "GBRFF1: draw the loss of each of --rounds by the position of the "+
		"landmark, too")
}

func newReportBoundaryCommand(a *app) *cobra.Command {
	var f reportOptions
	var b boundaryOptions
	c := &cobra.Command{
		Use:               "boundary METHOD...",
		Short:             "Decision boundaries on sets of two features",
		Args:              takesSome("METHOD..."),
		ValidArgsFunction: completion(a.names("methods"), false),
		RunE: func(c *cobra.Command, args []string) error {
			if len(b.datasets) == 0 {
				return usage("name a set of two features with --datasets, such as two-moons")
			}
			b.methods = args
			return a.draw(c, f, func(context.Context) (doc.Document, error) {
				err := a.know(f.protocol, args)
				if err != nil {
					return doc.Document{}, err
				}
				exp, err := a.experiment(f.protocol)
				if err != nil {
					return doc.Document{}, err
				}
				return drawBoundaries(a, c, exp, b)
			})
		},
	}
	protocolFlag(c, &f.protocol, defaultProtocol)
	b.add(c.Flags())
	permissionFlags(a, c)
	a.outputFlags(c, &f)
	return c
}

func drawBoundaries(a *app, c *cobra.Command, exp *plan.Experiment, f boundaryOptions) (doc.Document, error) {
	d := doc.Document{Report: "boundary", Title: "Decision boundaries on " + frame.Listed(f.datasets),
		Label: "fig:boundary"}
	for _, name := range f.datasets {
		entry, set, err := a.load(c.Context(), name)
		if err != nil {
			return d, err
		}
		if set.Task != registry.Binary || len(set.Features) != 2 {
			return d, usage("%s has %s and is a %s set; boundaries are drawn of two features and two classes",
				entry.Name, plural(len(set.Features), "feature"), set.Task)
		}
		var fields []plot.Field
		switch {
		case f.split < 1:
			return d, usage("--split %d: splits are numbered from 1", f.split)
		case f.loss && f.rounds == nil:
			return d, usage("--loss draws the loss of the rounds that --rounds names, such as --rounds 1,10")
		}
		for _, method := range f.methods {
			r, err := refitAsStored(a, c, exp, method, place{dataset: name, split: f.split})
			if err != nil {
				return d, err
			}
			drawn, err := f.fields(c.Context(), r.spec.Name, set, r.Refitted)
			if err != nil {
				return d, usage("%s: %w", r.cell, err)
			}
			fields = append(fields, drawn...)
		}
		marked := ""
		if f.loss {
			marked = "landmark of the round, of one feature a round"
		}
		d.Blocks = append(d.Blocks, doc.Figure{Name: entry.Name, Title: entry.Name,
			About: fmt.Sprintf("Decision boundaries of %s on %s, split %d", frame.Listed(f.methods), entry.Name,
				f.split),
			Alt: fmt.Sprintf("What models of %s predict on the plane of %s, with its training rows",
				strings.Join(f.methods, ", "), entry.Name),
			Plot: plot.Fields(fields, [2]string{"training rows of class -1", "of class +1"}, marked)})
	}
	return d, nil
}

// mesh is the number of cells of a drawing in each direction.
const mesh = 90

// fields returns the drawings of one model: of all its rounds, or of the requested numbers of first rounds.
func (f boundaryOptions) fields(ctx context.Context, method string, set *datasets.Set, r *runner.Refitted,
) ([]plot.Field, error) {
	base := plot.Field{Signed: true}
	base.X, base.Y = wider(rangeOf(set, 0)), wider(rangeOf(set, 1))
	const most = 200 // more points would hide the drawing
	every := (len(r.Rows) + most - 1) / most
	for i := 0; i < len(r.Rows); i += every {
		p := plot.FieldPoint{X: set.X.At(r.Rows[i], 0), Y: set.X.At(r.Rows[i], 1)}
		if p.X != p.X || p.Y != p.Y {
			continue // a row with a gap has no place on the plane
		}
		if set.Y[r.Rows[i]] > 0 {
			p.Class = 1
		}
		base.Points = append(base.Points, p)
	}
	grid := r.Scaled(places(base))
	title := fmt.Sprintf("%s: %.1f %% of the test rows", method, 100*float64(*r.Test.Correct)/float64(r.Test.N))
	if f.rounds == nil {
		scores := make([]float64, mesh*mesh)
		if err := r.Model.Score(ctx, grid, scores); err != nil {
			return nil, err
		}
		return []plot.Field{shown(base, title, scores)}, nil
	}
	stager, ok := r.Model.(registry.Stager)
	if !ok {
		return nil, fmt.Errorf("--rounds: the method has no rounds")
	}
	var out []plot.Field
	err := stager.ScoreStages(ctx, grid, f.rounds, func(t int, scores []float64) error {
		out = append(out, shown(base, fmt.Sprintf("%s, round %d", method, t), scores))
		return nil
	})
	if err != nil || !f.loss {
		return out, err
	}
	losses, err := f.losses(ctx, base, method, r, grid)
	return append(losses, out...), err
}

// losses draws the loss of rounds by the position of the landmark. It marks the landmark of the round if that lies in
// the drawing.
func (f boundaryOptions) losses(ctx context.Context, base plot.Field, method string, r *runner.Refitted,
	grid *mat.Dense) ([]plot.Field, error) {
	m, ok := r.Model.(interface {
		Landscape(ctx context.Context, train registry.Data, t int, at *mat.Dense) (loss, landmark []float64, err error)
	})
	if !ok {
		return nil, fmt.Errorf("--loss: the method has no landmarks")
	}
	base.Signed = false
	var out []plot.Field
	for _, t := range f.rounds {
		loss, landmark, err := m.Landscape(ctx, r.Learned, t, grid)
		if err != nil {
			return nil, err
		}
		field := shown(base, fmt.Sprintf("%s, loss of round %d", method, t), loss)
		if landmark != nil {
			if at := r.Unscaled(landmark); at[0] > base.X[0] && at[0] < base.X[1] && at[1] > base.Y[0] &&
				at[1] < base.Y[1] {
				field.Marks = []plot.FieldPoint{{X: at[0], Y: at[1]}}
			}
		}
		out = append(out, field)
	}
	return out, nil
}

// wider is a range and a twentieth more on each side.
func wider(of [2]float64) [2]float64 {
	more := (of[1] - of[0]) / 20
	return [2]float64{of[0] - more, of[1] + more}
}

func rangeOf(set *datasets.Set, column int) [2]float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range set.Y {
		if v := set.X.At(i, column); v == v {
			low, high = min(low, v), max(high, v)
		}
	}
	return [2]float64{low, high}
}

// places returns the centres of the cells of a field, row by row from the bottom.
func places(f plot.Field) *mat.Dense {
	out := mat.NewDense(mesh*mesh, 2, nil)
	for i := range mesh * mesh {
		across, up := (float64(i%mesh)+0.5)/mesh, (float64(i/mesh)+0.5)/mesh
		out.SetRow(i, []float64{f.X[0] + across*(f.X[1]-f.X[0]), f.Y[0] + up*(f.Y[1]-f.Y[0])})
	}
	return out
}

// shown is a field with values at its places.
func shown(f plot.Field, title string, values []float64) plot.Field {
	f.Title = title
	for i := range mesh {
		f.Values = append(f.Values, values[i*mesh:(i+1)*mesh])
	}
	return f
}

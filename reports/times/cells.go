package times

import "github.com/kernelboosting/bench/reports/frame"

// Costs are mean processor times of a cell on one kind of processor.
type Costs struct {
	CPU     string
	Sets    []string           // the sets with times of every method; each set counts once
	Seconds map[string]float64 // by method; nil without such a set
}

// PerCell returns the times of a cell that the report shows, by method.
func PerCell(t frame.Table) Costs {
	p := page{Table: t, seconds: map[string][]*float64{}}
	p.pickProcessor()
	p.measure()
	out := Costs{CPU: p.cpu, Sets: p.timed}
	for i, m := range t.Methods {
		sum, n := 0.0, 0
		for _, set := range p.timed {
			if x := p.seconds[set][i]; x != nil {
				sum, n = sum+*x/float64(len(p.timed)), n+1
			}
		}
		if n > 0 && n == len(p.timed) {
			if out.Seconds == nil {
				out.Seconds = map[string]float64{}
			}
			out.Seconds[m] = sum
		}
	}
	return out
}

package harness

import "sync"

// A Pace corrects predicted times by what cells of the same method took so far.
// The zero value is ready; it is safe for concurrent use.
type Pace struct {
	mu        sync.Mutex
	predicted map[string]float64 // seconds by method
	measured  map[string]float64
}

// Record notes that a cell took the given seconds.
func (p *Pace) Record(c *PlannedCell, seconds float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.predicted == nil {
		p.predicted, p.measured = map[string]float64{}, map[string]float64{}
	}
	p.predicted[c.Method] += c.Seconds
	p.measured[c.Method] += seconds
}

// Seconds returns the corrected prediction for a cell.
func (p *Pace) Seconds(c *PlannedCell) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if predicted := p.predicted[c.Method]; predicted > 0 {
		return c.Seconds * p.measured[c.Method] / predicted
	}
	return c.Seconds
}

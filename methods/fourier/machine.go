package fourier

import (
	"context"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A machine is a trained model: score c of x is Shift + Scale w_c.psi_sigma(x). It is not changed after the fit.
type machine struct {
	*embedding
	D, Outputs   int
	Sizes        []int // of the groups of features
	Sigma        []float64
	W            []float64 // Outputs x width
	Shift, Scale float64   // of the targets
}

// Score writes n x Outputs scores. The error names the first row and feature that the kernel is not defined for.
func (m *machine) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	if err := fitting.CheckScoring(x, m.D, m.Outputs, len(out)); err != nil {
		return err
	}
	a, err := m.kernel.mapRows(fitting.Rows(x), m.D)
	if err != nil {
		return err
	}
	n, k := len(a)/m.inputs, m.Outputs
	block := m.newWork(n, false)
	f := make([]float64, k*block.rows())
	err = fitting.Blocks(ctx, n, rowsAtOnce, func(lo, hi int) {
		h := hi - lo
		block.embed(a[lo*m.inputs:hi*m.inputs], m.Sigma)
		vmath.MatMul(f[:k*h], m.W, k, m.width, block.psi[:m.width*h], h)
		for i := range h {
			for c := range k {
				out[(lo+i)*k+c] = m.Shift + float64(m.Scale*f[c*h+i])
			}
		}
	})
	if err != nil {
		return err
	}
	return fitting.CheckFinite("score", out, k)
}

// A savedMachine is a machine as it is saved, with the quantiles and phases of its embedding.
type savedMachine struct {
	Machine machine
	Kernel  string
	C       float64
	Product bool      // the embedding has one part for all groups of features, instead of one for each group
	Count   int       // columns of a part
	H       []float64 // part.h of all parts
}

// Save implements registry.Saver.
func (m *machine) Save(w io.Writer) error {
	s := &savedMachine{Machine: *m, Kernel: m.kernel.name, C: m.kernel.c, Product: len(m.parts) == 1,
		Count: m.parts[0].count}
	for _, p := range m.parts {
		s.H = append(s.H, p.h...)
	}
	return fitting.Save(w, "fourier", s)
}

func load(r io.Reader) (registry.Model, error) {
	s, err := fitting.Load(r, "fourier", (*savedMachine).restore)
	if err != nil {
		return nil, err
	}
	return &s.Machine, nil
}

// restore checks what was read and makes the embedding of it.
func (s *savedMachine) restore() error {
	m := &s.Machine
	k := kernel{name: s.Kernel, c: s.C}
	if k.name != gaussian && k.name != chi2 && k.name != intersection && k.name != expchi2 {
		return fmt.Errorf("the kernel %q", s.Kernel)
	}
	width := 0
	for _, size := range m.Sizes {
		if size < 1 || size > m.D-width {
			return fmt.Errorf("a group of %d features after %d of %d", size, width, m.D)
		}
		width += size
	}
	parts := len(m.Sizes)
	if s.Product {
		parts = 1
	}
	if m.D < 1 || m.Outputs < 1 || width != m.D || len(m.Sigma) != len(m.Sizes) || s.Count < 1 || m.D > len(s.H) ||
		s.Count > len(s.H) ||
		len(s.H) != s.Count*(m.D*k.mapped()+parts) || m.Outputs > len(m.W) || len(m.W) != m.Outputs*s.Count*parts {
		return fmt.Errorf("d=%d outputs=%d do not fit %d groups, %d sigmas, %d columns, %d quantiles, %d weights",
			m.D, m.Outputs, len(m.Sizes), len(m.Sigma), s.Count, len(s.H), len(m.W))
	}
	m.embedding = newEmbedding(k, m.Sizes, s.Count)
	ends := []int{m.inputs}
	if !s.Product {
		ends = nil
		at := 0
		for _, size := range m.Sizes {
			at += size * k.mapped()
			ends = append(ends, at)
		}
	}
	from, at := 0, 0
	for j, to := range ends {
		next := at + s.Count*(to-from+1)
		m.append(part{from: from, to: to, at: j * s.Count, count: s.Count, h: s.H[at:next]})
		from, at = to, next
	}
	return nil
}

package fourier

import (
	"context"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/saved"
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
	return fitting.CheckScores(out, k)
}

// Save writes the model.
func (m *machine) Save(w io.Writer) error {
	return saved.Write(w, "fourier", func(f *saved.Fields) { m.fields(f, m.form()) })
}

func load(r io.Reader) (registry.Model, error) {
	m, s := new(machine), new(savedForm)
	return m, saved.Read(r, "fourier", func(f *saved.Fields) { m.fields(f, s) }, func() error { return m.restore(s) })
}

// A savedForm is the embedding as it is saved: the quantiles and phases of one part over everything, or of one a group.
type savedForm struct {
	kernel  string
	c       float64
	product bool
	count   int
	h       []float64
}

func (m *machine) form() *savedForm {
	s := &savedForm{kernel: m.kernel.name, c: m.kernel.c, product: len(m.parts) == 1, count: m.parts[0].count}
	for _, p := range m.parts {
		s.h = append(s.h, p.h...)
	}
	return s
}

func (m *machine) fields(f *saved.Fields, s *savedForm) {
	f.Int(&m.D)
	f.Int(&m.Outputs)
	saved.Each(f, &m.Sizes, (*saved.Fields).Int)
	f.Floats(&m.Sigma)
	f.Floats(&m.W)
	f.Float(&m.Shift)
	f.Float(&m.Scale)
	f.Text(&s.kernel)
	f.Float(&s.c)
	f.Bool(&s.product)
	f.Int(&s.count)
	f.Floats(&s.h)
}

// restore checks what was read and makes the embedding of it.
func (m *machine) restore(s *savedForm) error {
	k := kernel{name: s.kernel, c: s.c}
	if k.name != gaussian && k.name != chi2 && k.name != intersection && k.name != expchi2 {
		return fmt.Errorf("the kernel %q", s.kernel)
	}
	width := 0
	for _, size := range m.Sizes {
		if size < 1 || size > m.D-width {
			return fmt.Errorf("a group of %d features after %d of %d", size, width, m.D)
		}
		width += size
	}
	parts := len(m.Sizes)
	if s.product {
		parts = 1
	}
	if m.D < 1 || m.Outputs < 1 || width != m.D || len(m.Sigma) != len(m.Sizes) || s.count < 1 || m.D > len(s.h) || s.count > len(s.h) ||
		len(s.h) != s.count*(m.D*k.mapped()+parts) || m.Outputs > len(m.W) || len(m.W) != m.Outputs*s.count*parts {
		return fmt.Errorf("d=%d outputs=%d do not fit %d groups, %d sigmas, %d columns, %d quantiles, %d weights",
			m.D, m.Outputs, len(m.Sizes), len(m.Sigma), s.count, len(s.h), len(m.W))
	}
	m.embedding = newEmbedding(k, m.Sizes, s.count)
	ends := []int{m.inputs}
	if !s.product {
		ends = nil
		at := 0
		for _, size := range m.Sizes {
			at += size * k.mapped()
			ends = append(ends, at)
		}
	}
	from, at := 0, 0
	for j, to := range ends {
		next := at + s.count*(to-from+1)
		m.append(part{from: from, to: to, at: j * s.count, count: s.count, h: s.h[at:next]})
		from, at = to, next
	}
	return nil
}

package runner

import (
	"fmt"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/system/regularfile"
)

// A Refusal says why this program would run a cell in another way than the program that planned the cell.
type Refusal struct {
	What string // the name of the method or of the data set
	Why  string
}

func (r *Refusal) Error() string { return r.What + ": " + r.Why }

// Check returns a [Refusal] if another program planned the cell with another version or other code of the method, or with
// other data. code is the hash of the method's code in that program; "" is not compared. This program must have the same
// description of the data set, since the other program cannot name a file that this one reads. Check does not read data
// whose checksums are known.
func (r *InProcess) Check(c CellSpec, code string) error {
	p, err := r.protocol(c)
	if err != nil {
		return &Refusal{c.Cell.Protocol, err.Error()}
	}
	base := p.Base(c.Cell.Method)
	spec, err := r.Registry.Lookup(base)
	refuse := func(format string, args ...any) error { return &Refusal{c.Cell.Method, fmt.Sprintf(format, args...)} }
	switch own := Code(r.Registry, base); {
	case err != nil:
		return refuse("this program has no such method")
	case spec.Version != c.Inputs.MethodVersion:
		return refuse("version %s was asked for, this program has %s", c.Inputs.MethodVersion, spec.Version)
	case p.Hash() != c.Inputs.ProtocolHash:
		return &Refusal{c.Cell.Protocol, "the protocol reads otherwise in this program"}
	case code != "" && own != code:
		return refuse("code %.8s was asked for, this program has %.8s", code, own)
	}
	if !described(c) {
		return &Refusal{c.Cell.Dataset, "this machine has no such description of the set"}
	}
	e, err := c.Set.Entry()
	if err != nil {
		return &Refusal{c.Cell.Dataset, err.Error()}
	}
	switch sum, err := r.Data.Fingerprint(e); {
	case err != nil:
		return &Refusal{c.Cell.Dataset, err.Error()}
	case sum != c.Inputs.Fingerprint:
		return &Refusal{c.Cell.Dataset, fmt.Sprintf("data %.8s were asked for, here are %.8s", c.Inputs.Fingerprint, sum)}
	}
	return nil
}

// described reports whether this program has the description of a cell's set, built in or in the file that the cell names.
func described(c CellSpec) bool {
	if c.Set.Path != "" {
		text, err := regularfile.Read(c.Set.Path, int64(len(c.Set.TOML))) // a cell may name a pipe, or a large file
		return err == nil && string(text) == c.Set.TOML
	}
	e, err := catalogue.Builtin().Lookup(c.Cell.Dataset)
	return err == nil && e.Description() == c.Set
}

package runner

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/registry"
)

// InProcess runs cells in this process. It reads each data set once, shares the set among cells, and keeps it until
// Forget.
type InProcess struct {
	Registry registry.Registry
	// Plugin, if not nil, finds a method that the registry does not have. It may start a process.
	Plugin  func(method string) (registry.Spec, error)
	Data    catalogue.Directory
	Timeout time.Duration // per cell; 0 for none
	// Guests says which files, beyond the system's, a method of another module may read in a worker, and whether the
	// method may use the network.
	Guests sandbox.Policy
	Grace  time.Duration // the time that a fit has to notice its time limit before it is abandoned; 0 means 5 s
	// Prepare, if not nil, makes a method ready before a cell's time begins to count. For example it starts
	// the process of a plugin. If it fails, the fit that follows returns the error.
	Prepare func(ctx context.Context, method string)

	// Settle, if not nil, waits until the processes that served the last cell have ended.
	Settle func(method string)

	below     bool // Serve counts the processes below this process
	mu        sync.Mutex
	sets      map[catalogue.Description]*loading
	protocols map[string]*protocol.Protocol // by name and text
	memo      memo
}

// loading is a data set that is read once, by the first cell that needs it.
type loading struct {
	once sync.Once
	set  *datasets.Set
	err  error
}

// Run implements Runner.
func (r *InProcess) Run(ctx context.Context, c CellSpec) (result.Run, error) {
	j := &job{CellSpec: c, below: r.below, memo: &r.memo}
	var err error
	if j.protocol, err = r.protocol(c); err != nil {
		return result.Run{}, err
	}
	if j.method, err = r.Method(c); err != nil {
		return result.Run{}, err
	}
	if j.method.Version != c.Inputs.MethodVersion {
		return result.Run{}, &versionError{c, j.method.Version}
	}
	if hash := j.protocol.Hash(); hash != c.Inputs.ProtocolHash {
		return result.Run{}, fmt.Errorf("%s: protocol %s was planned as %.8s and reads as %.8s here; plan and run "+
			"with the same program", c.Cell, c.Cell.Protocol, c.Inputs.ProtocolHash, hash)
	}
	l := r.load(ctx, c)
	if l.err != nil {
		return result.Run{}, l.err
	}
	if l.set.Fingerprint != c.Inputs.Fingerprint {
		return result.Run{}, fmt.Errorf("%s changed while the run was under way; the stored results are kept, run "+
			"again",
			c.Cell.Dataset)
	}
	j.set = l.set
	if !r.below { // Serve has done this in a worker
		r.prepare(ctx, c)
	}
	return j.execute(ctx, r.Timeout, cmp.Or(r.Grace, defaultGrace))
}

func (r *InProcess) prepare(ctx context.Context, c CellSpec) {
	if r.Prepare != nil {
		r.Prepare(ctx, r.base(c))
	}
}

// base is the name that the registry has for the method of a cell; "" for a cell whose protocol Run refuses.
func (r *InProcess) base(c CellSpec) string {
	p, err := r.protocol(c)
	if err != nil {
		return ""
	}
	return p.Base(c.Cell.Method)
}

// A versionError says that a method has another version than the cell was planned with.
type versionError struct {
	cell CellSpec
	has  string
}

func (e *versionError) Error() string {
	return fmt.Sprintf("%s: version %s of %s was asked for, this program has %s", e.cell.Cell,
		e.cell.Inputs.MethodVersion, e.cell.Cell.Method, e.has)
}

// Method returns the method of a cell. For a variant that a protocol declares this is the original method
// under the variant's name.
func (r *InProcess) Method(c CellSpec) (registry.Spec, error) {
	base := r.base(c)
	spec, err := r.Registry.Lookup(base)
	if err != nil && r.Plugin != nil {
		if spec, err = r.Plugin(base); err != nil {
			err = failure{err, classOf(err)}
		}
	}
	spec.Name = c.Cell.Method
	return spec, err
}

// protocol parses a cell's protocol, once for all cells with the same text.
func (r *InProcess) protocol(c CellSpec) (*protocol.Protocol, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := c.Cell.Protocol + "\x00" + c.Protocol.TOML
	if p := r.protocols[key]; p != nil {
		return p, nil
	}
	p, err := protocol.Parse(c.Cell.Protocol, []byte(c.Protocol.TOML))
	if err != nil {
		return nil, err
	}
	if r.protocols == nil {
		r.protocols = map[string]*protocol.Protocol{}
	}
	r.protocols[key] = p
	return p, nil
}

func (r *InProcess) load(ctx context.Context, c CellSpec) *loading {
	r.mu.Lock()
	l := r.sets[c.Set]
	if l == nil {
		if r.sets == nil {
			r.sets = map[catalogue.Description]*loading{}
		}
		l = &loading{}
		r.sets[c.Set] = l
	}
	r.mu.Unlock()
	l.once.Do(func() {
		var e *catalogue.Entry
		if e, l.err = c.Set.Entry(); l.err == nil {
			l.set, l.err = read.Load(ctx, r.Data, e)
		}
	})
	if l.err != nil { // a cancelled reading says nothing about the set
		r.Forget(c)
	}
	return l
}

// Forget releases the data set of a cell. A later cell that needs the set reads it again.
func (r *InProcess) Forget(c CellSpec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sets, c.Set)
}

// A Refusal says why this program would run a cell in another way than the program that planned the cell.
type Refusal struct {
	What string // the name of the method, the data set or the protocol
	Why  string
}

func (r *Refusal) Error() string { return r.What + ": " + r.Why }

// Check returns a [Refusal] if another program planned the cell with another version of the method, or with other data.
// This program must have the same description of the data set, since the other program cannot name a file that this one
// reads. Check does not read data whose checksums are known.
func (r *InProcess) Check(c CellSpec) error {
	p, err := r.protocol(c)
	if err != nil {
		return &Refusal{c.Cell.Protocol, err.Error()}
	}
	spec, err := r.Registry.Lookup(p.Base(c.Cell.Method))
	refuse := func(format string, args ...any) error { return &Refusal{c.Cell.Method, fmt.Sprintf(format, args...)} }
	switch {
	case err != nil:
		return refuse("this program has no such method")
	case spec.Version != c.Inputs.MethodVersion:
		return refuse("version %s was asked for, this program has %s", c.Inputs.MethodVersion, spec.Version)
	case p.Hash() != c.Inputs.ProtocolHash:
		return &Refusal{c.Cell.Protocol, "the protocol reads otherwise in this program"}
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
		return &Refusal{c.Cell.Dataset, fmt.Sprintf("data %.8s were asked for, here are %.8s", c.Inputs.Fingerprint,
			sum)}
	}
	return nil
}

// described reports whether this program has the description of a cell's set, built in or in the file that the cell
// names.
func described(c CellSpec) bool {
	if c.Set.Path != "" {
		text, err := files.Read(c.Set.Path, int64(len(c.Set.TOML))) // a cell may name a pipe, or a large file
		return err == nil && string(text) == c.Set.TOML
	}
	e, err := catalogue.Builtin().Lookup(c.Cell.Dataset)
	return err == nil && e.Description() == c.Set
}

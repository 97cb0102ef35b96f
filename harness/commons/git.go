package commons

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/kernelboosting/bench/internal/system/processes"
)

// mostSaid bounds what a program may print, in bytes.
const mostSaid = 64 << 20

// Git is a repository by its folder.
type Git string

// bounded keeps the first bytes that are written to it, and notes whether there were more.
type bounded struct {
	bytes.Buffer
	most int
	more bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); len(p) > room {
		b.more = true
		return 0, errors.New("too much")
	}
	return b.Buffer.Write(p)
}

// Do runs git in the repository and returns what it prints. Whoever calls it makes sure that no argument which somebody
// else chose can be an option: such arguments are hashes, or follow --end-of-options or --.
func (g Git) Do(ctx context.Context, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", append([]string{"-C", string(g), "-c", "core.hooksPath=/dev/null",
		"-c", "core.quotePath=false"}, args...)...)
	c.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	out, err := outputOf(c)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not there; install it")
	case err != nil:
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// outputOf runs a program and returns what it prints. The error is the last line that it writes to standard error.
func outputOf(c *exec.Cmd) (string, error) {
	out, said := &bounded{most: mostSaid}, &processes.Tail{Most: 1 << 16}
	c.Stdout, c.Stderr = out, said
	err := c.Run()
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	switch last := lines[len(lines)-1]; {
	case out.more:
		return "", fmt.Errorf("it prints more than %d bytes", mostSaid)
	case err != nil && last != "":
		return "", errors.New(last)
	}
	return out.String(), err
}

// Commit returns the hash of the commit that a name, such as a branch, stands for.
func (g Git) Commit(ctx context.Context, name string) (string, error) {
	if strings.HasPrefix(name, "-") {
		return "", fmt.Errorf("%q is no name of a branch or commit", name)
	}
	out, err := g.Do(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if out = strings.TrimSpace(out); err != nil || out == "" {
		return "", fmt.Errorf("%s has no commit %q", string(g), name)
	}
	return out, nil
}

package commons

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// mostSaid bounds what git may print for one question, in bytes.
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
	out, said := &bounded{most: mostSaid}, &bounded{most: 1 << 16}
	c.Stdout, c.Stderr = out, said
	switch err := c.Run(); {
	case out.more:
		return "", fmt.Errorf("git %s: it prints more than %d bytes", args[0], mostSaid)
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not there; install it")
	case err != nil:
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return "", fmt.Errorf("git %s: %s", args[0], lines[len(lines)-1])
	}
	return out.String(), nil
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

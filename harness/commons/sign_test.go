package commons

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestSignatures lets ssh-keygen make keys, and says who signed what.
func TestSignatures(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not there")
	}
	dir := t.TempDir()
	key := func(name string) string {
		file := filepath.Join(dir, name)
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return file
	}
	mine, other := key("mine"), key("other")
	allowed := filepath.Join(dir, "allowed")
	public := string(must.Get(os.ReadFile(mine + ".pub"))(t))
	must.Do(t, os.WriteFile(allowed, []byte("me@example.org "+public), 0o600))

	ctx, text := t.Context(), []byte("a receipt\n")
	signature := must.Get(Sign(ctx, text, mine))(t)
	must.Be(t, must.Get(Signer(ctx, text, signature, allowed))(t), "me@example.org", "who signed")
	must.Hold(t, must.Get(Signer(ctx, text, signature, ""))(t), "an unknown owner, ED25519 key SHA256:")
	for _, who := range []string{allowed, ""} {
		must.Say(t, must.Err(Signer(ctx, []byte("another receipt\n"), signature, who)), "ssh-keygen")
		must.Say(t, must.Err(Signer(ctx, text, []byte("no signature"), who)), "ssh-keygen")
	}
	signature = must.Get(Sign(ctx, text, other))(t)
	must.Say(t, must.Err(Signer(ctx, text, signature, allowed)), "not among the allowed signers")
	must.Say(t, must.Err(Sign(ctx, text, filepath.Join(dir, "none"))), "ssh-keygen -Y sign")

	c := exec.Command("ssh-keygen", "-Y", "sign", "-q", "-n", "git", "-f", mine) // a signature of a commit
	c.Stdin = strings.NewReader(string(text))
	must.Say(t, must.Err(Signer(ctx, text, must.Get(c.Output())(t), allowed)), "ssh-keygen -Y verify")
}

// TestSigningKey reads the key that git signs with.
func TestSigningKey(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	git := Git(t.TempDir())
	set := func(args ...string) { t.Helper(); must.Get(git.Do(t.Context(), args...))(t) }
	set("init", "-q")
	must.Be(t, git.SigningKey(t.Context()), "", "no key")
	set("config", "user.signingkey", "/a/key")
	must.Be(t, git.SigningKey(t.Context()), "", "a key of OpenPGP")
	set("config", "gpg.format", "ssh")
	must.Be(t, git.SigningKey(t.Context()), "/a/key", "a key of SSH")
}

package commons

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// namespace says to ssh-keygen what a signature is for, so that a signature of something else is none of a receipt.
const namespace = "bench-receipt"

// SignatureFile is the name of the file with the signature of a receipt's file.
func SignatureFile(receipt string) string { return receipt + ".sig" }

// keygen runs `ssh-keygen -Y` on a text and returns what it prints.
func keygen(ctx context.Context, text []byte, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "ssh-keygen", append([]string{"-Y"}, args...)...)
	c.Stdin = bytes.NewReader(text)
	out, err := outputOf(c)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("ssh-keygen is not there; install OpenSSH 8.2 or newer")
	case err != nil:
		return "", fmt.Errorf("ssh-keygen -Y %s: %w", args[0], err)
	}
	return out, nil
}

// SigningKey returns the file of the key that git signs with in a repository, or "" if git signs with none of SSH.
func (g Git) SigningKey(ctx context.Context) string {
	form, _ := g.Do(ctx, "config", "gpg.format") // an error: it is not set
	key, _ := g.Do(ctx, "config", "--type=path", "user.signingkey")
	if strings.TrimSpace(form) != "ssh" {
		return ""
	}
	return strings.TrimSpace(key)
}

// Sign returns the signature of a receipt's text by a key, a file of ssh-keygen.
func Sign(ctx context.Context, text []byte, key string) ([]byte, error) {
	signature, err := keygen(ctx, text, "sign", "-q", "-n", namespace, "-f", key)
	return []byte(signature), err
}

// Signer returns who signed a receipt's text, as ssh-keygen writes it. allowed is a file of allowed signers, as
// ssh-keygen reads it; with "" the signature is checked, and whose key it is stays unknown.
func Signer(ctx context.Context, text, signature []byte, allowed string) (string, error) {
	dir, err := os.MkdirTemp("", "bench-receipt-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "signature")
	if err := os.WriteFile(file, signature, 0o600); err != nil {
		return "", err
	}
	if allowed == "" {
		said, err := keygen(ctx, text, "check-novalidate", "-n", namespace, "-s", file)
		return "an unknown owner, " + strings.TrimPrefix(strings.TrimSpace(said), "Good \""+namespace+
			"\" signature with "), err
	}
	who, err := keygen(ctx, text, "find-principals", "-f", allowed, "-s", file)
	if err != nil {
		return "", fmt.Errorf("the key is not among the allowed signers of %s: %w", allowed, err)
	}
	who, _, _ = strings.Cut(who, "\n")
	_, err = keygen(ctx, text, "verify", "-f", allowed, "-I", who, "-n", namespace, "-s", file)
	return who, err
}

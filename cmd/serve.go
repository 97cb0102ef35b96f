package cmd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/kernelboosting/bench/harness/remote"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/live"
	"github.com/spf13/cobra"
)

// defaultServe is the page's address without --at.
const defaultServe = "127.0.0.1:8017"

func newServeCommand(a *app) *cobra.Command {
	var f pageFlags
	var tokenFile string
	c := &cobra.Command{
		Use:   "serve [HOST:PORT]",
		Short: "Show the report and the current runs in a browser",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) <= 1 {
				return nil
			}
			return takes("[HOST:PORT]")(c, args)
		},
	}
	c.Flags().StringVar(&f.protocol, "protocol", "", "show the results of this protocol (default that of the run, "+
		"else that of the last cells)")
	c.Flags().StringVar(&tokenFile, "token-file", "", "a file with the token that browsers must have (default a new "+
		"one, if other machines reach HOST)")
	c.RunE = func(c *cobra.Command, args []string) error {
		at := defaultServe
		if len(args) > 0 {
			at = args[0]
		}
		token, err := readToken(tokenFile)
		if err != nil {
			return err
		}
		f.Level = 0.05
		return a.serveTo(c, at, token, f)
	}
	return c
}

// serveIdentity names the file of the page's token and certificate. A worker's token is a different one, since a worker
// may do more than read.
func (a *app) serveIdentity() string { return a.db + ".serve" }

// serveTo shows runs to browsers until a signal comes.
func (a *app) serveTo(c *cobra.Command, at, token string, f pageFlags) error {
	ctx, done := a.untilSignal(c.Context())
	defer done()
	host, _, err := net.SplitHostPort(at)
	if err != nil {
		return usage("%q is not HOST:PORT, such as %s", at, defaultServe)
	}
	db, err := a.reader(c.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	w, err := a.watcher(ctx, db, f.protocol)
	if err != nil {
		return err
	}
	defer w.Close()
	s := &live.Server{Look: w.Look, Token: token, Every: watchEvery,
		Report: func(ctx context.Context, protocol string) (live.Page, error) {
			f := f
			f.protocol = cmp.Or(f.protocol, protocol)
			return a.page(ctx, f)
		}}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return usage("%s: %w", at, err)
	}
	encrypted, link, err := a.secureServer(s, host)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	link.Host = net.JoinHostPort(link.Host, port)
	if token != "" {
		a.say("add ?token=... with the token of --token-file to the address")
	}
	fmt.Fprintf(a.out, "%s\n", link.String())
	if a.out.err != nil {
		return errors.Join(a.out.err, l.Close())
	}
	if err := s.Serve(ctx, l, encrypted); err != nil {
		return exitError{exitInternal, errors.New(wording.Spelled(err.Error()))}
	}
	return nil
}

// secureServer says who may see the pages of a server that listens at host. It returns the server's certificate, nil
// where this machine alone reaches it, and the address without the port.
func (a *app) secureServer(s *live.Server, host string) (encrypted *tls.Config, link url.URL, err error) {
	link = url.URL{Scheme: "http", Path: "/", Host: host}
	if remote.Loopback(host) {
		s.Hosts = []string{host, "localhost", "127.0.0.1", "::1"}
		return nil, link, nil
	}
	id, err := remote.KeptIdentity(a.serveIdentity())
	if err != nil {
		return nil, link, err
	}
	link.Scheme = "https"
	if s.Token == "" {
		s.Token = id.Token
		link.RawQuery = "token=" + s.Token
	}
	a.say("SHA-256 fingerprint of the certificate: %s", spaced(id.Fingerprint()))
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		link.Host, err = os.Hostname()
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{id.Certificate}}, link, err
}

// spaced writes a fingerprint in pairs of digits, as browsers show it.
func spaced(hex string) string {
	var pairs []string
	for ; len(hex) >= 2; hex = hex[2:] {
		pairs = append(pairs, strings.ToUpper(hex[:2]))
	}
	return strings.Join(pairs, ":")
}

package remote

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const startsWithin = time.Minute

// largest is the size from which on a message goes through the object store.
const largest = 4 << 20

// startServer starts a NATS server at HOST:PORT that keeps its files in a folder. At an address that other
// machines reach it has a token and a certificate. It returns the URL for workers.
func startServer(address, token, folder string) (s *server.Server, at string, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, "", fmt.Errorf("%q is not HOST:PORT, such as 127.0.0.1:4222: %w", address, err)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, "", fmt.Errorf("%q: the port %q is not a number from 0 to 65535; 0 takes any free port", address, port)
	}
	opt := &server.Options{
		Host: host, Port: int(number), JetStream: true, StoreDir: folder, MaxPayload: largest, NoLog: true, NoSigs: true,
		Authorization: token,
	}
	if number == 0 {
		opt.Port = server.RANDOM_PORT
	}
	link := url.URL{Scheme: "nats"}
	if !Loopback(host) {
		certificate, err := newCertificate()
		if err != nil {
			return nil, "", err
		}
		opt.TLS, opt.TLSConfig = true, &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}}
		link.RawQuery = "fingerprint=" + fingerprint(certificate.Certificate[0])
	}
	// The server itself says only that it did not start, so that the address is tried first.
	try, err := net.Listen("tcp", address)
	if err != nil {
		return nil, "", err
	}
	_ = try.Close()
	if s, err = server.NewServer(opt); err != nil {
		return nil, "", err
	}
	go s.Start()
	if !s.ReadyForConnections(startsWithin) {
		s.Shutdown()
		return nil, "", errors.New("the NATS server did not start")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if host, err = os.Hostname(); err != nil {
			return nil, "", err
		}
	}
	link.Host = net.JoinHostPort(host, strconv.Itoa(s.Addr().(*net.TCPAddr).Port))
	return s, link.String(), nil
}

// Loopback reports whether a host is an address that only this machine reaches.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// NewToken makes a token that nobody guesses.
func NewToken() string { return rand.Text() }

// newCertificate makes a certificate for this process. Workers know the certificate by its fingerprint, so
// that the names and dates in it do not count.
func newCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), DNSNames: []string{"bench"}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func fingerprint(certificate []byte) string {
	sum := sha256.Sum256(certificate)
	return hex.EncodeToString(sum[:])
}

// dialOptions reads a worker's URL: nats://[TOKEN@]HOST:PORT[?fingerprint=HEX]. It returns the address and how
// to connect to it. An address of another machine needs a fingerprint.
func dialOptions(at, token string) (address string, opt []nats.Option, err error) {
	link, err := url.Parse(at)
	if err != nil || link.Scheme != "nats" || link.Host == "" || link.Port() == "" {
		return "", nil, fmt.Errorf("%q is not an address of a coordinator, such as nats://127.0.0.1:4222", at)
	}
	if link.User != nil && token == "" {
		token = link.User.Username()
	}
	if token != "" {
		opt = append(opt, nats.Token(token))
	}
	want := link.Query().Get("fingerprint")
	if want == "" && !Loopback(link.Hostname()) {
		return "", nil, fmt.Errorf("%s: an address of another machine needs ?fingerprint=...; the coordinator prints the whole address", link.Host)
	}
	if want != "" {
		opt = append(opt, nats.Secure(&tls.Config{
			MinVersion:         tls.VersionTLS13,
			InsecureSkipVerify: true, // the fingerprint stands for the chain of certificates
			VerifyConnection: func(c tls.ConnectionState) error {
				if got := fingerprint(c.PeerCertificates[0].Raw); subtle.ConstantTimeCompare([]byte(got), []byte(want)) != 1 {
					return fmt.Errorf("the coordinator's certificate has the fingerprint %s, not %s; take the address that the coordinator prints", got, want)
				}
				return nil
			},
		}))
	}
	return "nats://" + link.Host, opt, nil
}

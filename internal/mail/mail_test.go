package mail

import (
	"bufio"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// server is a mail server on this machine whose answers the test sets.
type server struct {
	addr  string
	roots *x509.CertPool
	cert  tls.Certificate

	atOnce   bool           // TLS from the first byte
	noTLS    bool           // does not offer STARTTLS
	password string         // the server requires it, for the user "ada"
	answers  map[string]int // to a command, in place of yes

	mu      sync.Mutex
	letters []string
	said    []string // commands, as they came
}

func (s *server) start(t *testing.T) *server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	s.roots = x509.NewCertPool()
	s.roots.AddCert(leaf)
	s.cert = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(t.Context(), func() { c.Close() })
			wg.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return s
}

func (s *server) serve(c net.Conn) {
	defer func() { c.Close() }()
	secure := s.atOnce
	if s.atOnce {
		c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{s.cert}})
	}
	in := bufio.NewReader(c)
	say := func(format string, args ...any) { fmt.Fprintf(c, format+"\r\n", args...) }
	say("220 mail.example")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		s.mu.Lock()
		s.said = append(s.said, line)
		s.mu.Unlock()
		command, _, _ := strings.Cut(line, " ")
		if code := s.answers[command]; code != 0 {
			say("%d no to <ada@example.org>", code)
			continue
		}
		switch command {
		case "EHLO":
			say("250-mail.example")
			if !secure && !s.noTLS {
				say("250-STARTTLS")
			}
			if s.password != "" {
				say("250-AUTH PLAIN")
			}
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go on")
			c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{s.cert}})
			in, secure = bufio.NewReader(c), true
		case "AUTH":
			raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(line, "AUTH PLAIN "))
			if string(raw) != "\x00ada\x00"+s.password {
				say("535 wrong")
				continue
			}
			say("235 welcome")
		case "DATA":
			say("354 go on")
			var letter strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				letter.WriteString(line)
			}
			s.mu.Lock()
			s.letters = append(s.letters, letter.String())
			s.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 yes")
		}
	}
}

var letter = Message{ID: "7d3f0c5e", To: "ada@example.org", Subject: "Verificación ñ",
	Text: "Hello,\n\nhttps://service.example/invite/" + strings.Repeat("x", 80) + "\n.\n¿Sí?\n"}

// TestEmailHasBothForms checks that an email with HTML has the text first, that both arrive
// unchanged, and that no line exceeds the limits of RFC 5322 and RFC 2045.
func TestEmailHasBothForms(t *testing.T) {
	s := (&server{}).start(t)
	sender, err := New(Config{Addr: s.addr, Roots: s.roots, From: "no-reply@service.example", Security: STARTTLS})
	if err != nil {
		t.Fatal(err)
	}
	both := letter
	both.Subject = strings.Repeat("Verificación ñ ", 12)
	both.HTML = "<p lang=\"es\">¿Sí? " + strings.Repeat("x", 2000) + "</p>\n.\n"
	if err := sender.Send(t.Context(), both); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(s.letters[0]) {
		if len(line) > 78+len("\r\n") {
			t.Errorf("a line of %d characters: %q", len(line), line)
		}
	}
	got, err := mail.ReadMessage(strings.NewReader(s.letters[0]))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if err != nil || strings.TrimSpace(subject) != strings.TrimSpace(both.Subject) {
		t.Errorf("subject %q, %v", subject, err)
	}
	kind, params, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("%s, %v", kind, err)
	}
	parts := multipart.NewReader(got.Body, params["boundary"])
	for _, want := range []struct{ kind, content string }{{"text/plain; charset=UTF-8", both.Text}, {"text/html; charset=UTF-8", both.HTML}} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(quotedprintable.NewReader(part))
		content := strings.ReplaceAll(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n..\n", "\n.\n")
		if part.Header.Get("Content-Type") != want.kind || part.Header.Get("Content-Transfer-Encoding") != "quoted-printable" ||
			err != nil || strings.TrimSpace(content) != strings.TrimSpace(want.content) {
			t.Errorf("%v, %v: %q, want %q", part.Header, err, content, want.content)
		}
	}
	if _, err := parts.NextRawPart(); err != io.EOF {
		t.Errorf("a third part: %v", err)
	}
}

func TestInviteEmailArrives(t *testing.T) {
	for name, c := range map[string]struct {
		server *server
		config Config
	}{
		"by STARTTLS":         {&server{}, Config{Security: STARTTLS}},
		"with credentials":    {&server{password: "secret"}, Config{Security: STARTTLS, Username: "ada", Password: "secret"}},
		"by TLS at once":      {&server{atOnce: true, password: "secret"}, Config{Security: TLS, Username: "ada", Password: "secret"}},
		"in the clear, asked": {&server{noTLS: true}, Config{Security: None}},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.server.start(t)
			c.config.Addr, c.config.Roots, c.config.From = s.addr, s.roots, "Consumer Reports <no-reply@service.example>"
			sender, err := New(c.config)
			if err != nil {
				t.Fatal(err)
			}
			if err := sender.Send(t.Context(), letter); err != nil {
				t.Fatal(err)
			}
			if len(s.letters) != 1 {
				t.Fatalf("%d letters", len(s.letters))
			}
			got, err := mail.ReadMessage(strings.NewReader(s.letters[0]))
			if err != nil {
				t.Fatal(err)
			}
			subject, _ := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
			for name, want := range map[string]string{"From": `"Consumer Reports" <no-reply@service.example>`, "To": "<ada@example.org>",
				"Message-Id": "<7d3f0c5e@127.0.0.1>", "Auto-Submitted": "auto-generated", "Content-Transfer-Encoding": "quoted-printable"} {
				if got := got.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			raw, err := io.ReadAll(quotedprintable.NewReader(got.Body))
			text := strings.TrimPrefix(strings.ReplaceAll(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n..\n", "\n.\n"), "\n")
			if err != nil || subject != letter.Subject || strings.TrimRight(text, "\n") != strings.TrimRight(letter.Text, "\n") {
				t.Errorf("%q, %v: %q, want %q", subject, err, text, letter.Text)
			}
		})
	}
}

func TestEmailsThatAreNotSent(t *testing.T) {
	for name, c := range map[string]struct {
		server  *server // nil: one that takes everything
		config  Config
		to      string
		refused bool
	}{
		"a server without TLS":            {server: &server{noTLS: true}, config: Config{Security: STARTTLS}},
		"a server that is not who it was": {config: Config{Security: STARTTLS, Roots: x509.NewCertPool()}},
		"wrong credentials": {server: &server{password: "other"},
			config: Config{Security: STARTTLS, Username: "ada", Password: "secret"}},
		"a busy server":  {server: &server{answers: map[string]int{"MAIL": 451}}, config: Config{Security: STARTTLS}},
		"a full mailbox": {server: &server{answers: map[string]int{"RCPT": 452}}, config: Config{Security: STARTTLS}},
		"unknown recipient": {server: &server{answers: map[string]int{"RCPT": 550}}, config: Config{Security: STARTTLS},
			refused: true},
		"a letter it does not like": {server: &server{answers: map[string]int{"DATA": 554}}, config: Config{Security: STARTTLS},
			refused: true},
		"no address": {config: Config{Security: STARTTLS}, to: "ada@example.org>\r\nBcc: eve@example.org", refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.server == nil {
				c.server = &server{}
			}
			s := c.server.start(t)
			c.config.Addr, c.config.From = s.addr, "no-reply@service.example"
			if c.config.Roots == nil {
				c.config.Roots = s.roots
			}
			sender, err := New(c.config)
			if err != nil {
				t.Fatal(err)
			}
			l := letter
			if c.to != "" {
				l.To = c.to
			}
			err = sender.Send(t.Context(), l)
			if err == nil || errors.Is(err, ErrRefused) != c.refused {
				t.Fatalf("%v, want one that is refused for good: %v", err, c.refused)
			}
			for _, secret := range []string{"example", "ada", "secret", "127.0.0.1"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error says %q: %v", secret, err)
				}
			}
			if len(s.letters) != 0 {
				t.Error("it was sent")
			}
			for _, line := range s.said {
				if c.server.noTLS && !strings.HasPrefix(line, "EHLO") && line != "QUIT" {
					t.Errorf("said in the clear: %q", line)
				}
			}
		})
	}
	sender, err := New(Config{Addr: "127.0.0.1:1", From: "a@b.example", Security: TLS})
	if err != nil {
		t.Fatal(err)
	}
	if err := sender.Send(t.Context(), letter); err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("connection refused: %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sender.Send(over, letter); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestCheck signs in at servers, and names what is wrong.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		server *server
		config Config
		want   string
	}{
		"starttls":              {&server{password: "secret"}, Config{Security: STARTTLS, Username: "ada", Password: "secret"}, ""},
		"tls":                   {&server{atOnce: true}, Config{Security: TLS}, ""},
		"wrong credentials":     {&server{password: "other"}, Config{Security: STARTTLS, Username: "ada", Password: "secret"}, "535"},
		"no STARTTLS":           {&server{noTLS: true}, Config{Security: STARTTLS}, "lacks STARTTLS"},
		"unknown authority":     {&server{atOnce: true}, Config{Security: TLS, Roots: x509.NewCertPool()}, "SSL_CERT_FILE"},
		"by STARTTLS":           {&server{}, Config{Security: STARTTLS, Roots: x509.NewCertPool()}, "SSL_CERT_FILE"},
		"another name":          {&server{atOnce: true}, Config{Security: TLS, Addr: "localhost"}, "another host name"},
		"no TLS from the start": {&server{}, Config{Security: TLS}, "--smtp-security"},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.server.start(t)
			_, port, _ := net.SplitHostPort(s.addr)
			c.config.Addr, c.config.From = net.JoinHostPort(cmp.Or(c.config.Addr, "127.0.0.1"), port), "no-reply@service.example"
			if c.config.Roots == nil {
				c.config.Roots = s.roots
			}
			sender, err := New(c.config)
			if err != nil {
				t.Fatal(err)
			}
			err = sender.Check(t.Context())
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if slices.ContainsFunc(s.said, func(line string) bool { return strings.HasPrefix(line, "MAIL") }) {
				t.Error("an email was begun")
			}
		})
	}
}

func TestConfigurationsThatCannotSend(t *testing.T) {
	for name, c := range map[string]Config{
		"no port":              {Addr: "mail.example", From: "a@b.example", Security: TLS},
		"no host":              {Addr: ":25", From: "a@b.example", Security: TLS},
		"port 0":               {Addr: "mail.example:0", From: "a@b.example", Security: TLS},
		"no sender":            {Addr: "mail.example:25", Security: TLS},
		"a sender that is two": {Addr: "mail.example:25", From: "a@b.example, c@d.example", Security: TLS},
		"half of credentials":  {Addr: "mail.example:25", From: "a@b.example", Security: TLS, Username: "x"},
		"credentials, no TLS":  {Addr: "mail.example:25", From: "a@b.example", Security: None, Username: "x", Password: "y"},
		"no security":          {Addr: "mail.example:25", From: "a@b.example"},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

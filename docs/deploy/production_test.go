package deploy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/ports"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/storetest/cluster"
	"vestibule/internal/testutil/tools"
)

// allNamesAreHere makes this process resolve each name to loopback.
func allNamesAreHere() {
	answer := func(request []byte) ([]byte, error) {
		var m dnsmessage.Message
		if err := m.Unpack(request); err != nil {
			return nil, err
		}
		m.Response, m.Additionals = true, nil
		for _, q := range m.Questions {
			if q.Type == dnsmessage.TypeA {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}})
			}
		}
		return m.Pack()
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer ours.Close()
			for {
				var n uint16 // as in DNS by TCP
				if binary.Read(ours, binary.BigEndian, &n) != nil {
					return
				}
				request := make([]byte, n)
				if _, err := io.ReadFull(ours, request); err != nil {
					return
				}
				reply, err := answer(request)
				if err != nil {
					return
				}
				ours.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
			}
		}()
		return theirs, nil
	}}
}

// production is the deployment that docs/how-to/install.md builds, in a folder.
type production struct {
	t            *testing.T
	dir          string
	db           string // connection string of the database's administrator
	dbPort       string
	proxy        string // address of nginx
	addresses    map[string]string
	environments map[string][]string // of each unit
	client       *http.Client
}

// substituted returns a shipped file with the addresses and passwords of the test. Lines of optional settings
// whose variables are named apply.
func (p *production) substituted(file, password string, optional ...string) string {
	p.t.Helper()
	_, port, _ := strings.Cut(p.proxy, ":")
	s := string(testutil.ReadFile(p.t, file))
	for _, name := range optional {
		s = replace(p.t, s, "\n#"+name+"=", "\n"+name+"=")
	}
	s = regexp.MustCompile(`https://([\w.]+\.example\.com)`).ReplaceAllString(s, "https://$1:"+port)
	s = strings.NewReplacer("PASSWORD@db.internal/", password+"@db.internal:"+p.dbPort+"/", "/etc/ssl/certs/internal.pem",
		filepath.Join(p.dir, "cert.pem"), "/run/credentials/vestibule-provider.service/", p.dir+"/",
		"/var/lib/", p.dir+"/").Replace(s)
	for shipped, own := range p.addresses {
		s = strings.ReplaceAll(s, "="+shipped, "="+own)
	}
	return s
}

// unit sets the environment of a unit: a file of variables, and what the systemd unit sets.
func (p *production) unit(name, variables string) {
	p.t.Helper()
	env := []string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "VESTIBULE_DATA_DIR=" + filepath.Join(p.dir, "vestibule-"+name),
		"VESTIBULE_MASTER_KEY_FILE=" + filepath.Join(p.dir, name+".key")}
	for line := range strings.Lines(variables) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			env = append(env, strings.ReplaceAll(line, `"`, ""))
		}
	}
	p.environments[name] = env
	testutil.Must(p.t, os.MkdirAll(filepath.Join(p.dir, "vestibule-"+name), 0o700))
}

// command returns a command of the program with the environment of a unit.
func (p *production) command(unit string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	testutil.Must(p.t, err)
	cmd := exec.Command(self, args...)
	cmd.Env, cmd.Dir = p.environments[unit], p.dir
	return cmd
}

// run runs a command of the program to its end.
func (p *production) run(unit string, args ...string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	cmd := p.command(unit, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// start starts a unit, and returns how to stop it, which the end of the test does otherwise.
func (p *production) start(unit, command string) (stop func()) {
	p.t.Helper()
	cmd := p.command(unit, command)
	log := &bytes.Buffer{}
	cmd.Stderr = log
	_, err := program.StartProcess(cmd)
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", unit, err, log)
	}
	var ended bool
	stop = func() {
		if ended {
			return
		}
		ended = true
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			p.t.Errorf("%s: %v", unit, err)
		}
		if p.t.Failed() {
			p.t.Logf("%s:\n%s", unit, log)
		}
	}
	p.t.Cleanup(stop)
	return stop
}

// postgres runs a program of PostgreSQL as the administrator.
func (p *production) postgres(name string, env []string, args ...string) {
	p.t.Helper()
	path, err := cluster.Tool(name)
	if err != nil {
		tools.Missing(p.t, "PostgreSQL is not installed")
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// database runs database.sql as its comment says.
func (p *production) database(name, password string) {
	p.t.Helper()
	p.postgres("psql", []string{"PASSWORD=" + password}, "-v", "ON_ERROR_STOP=1", "-v", "name="+name, "-f", "database.sql", p.db)
}

// newProduction starts a PostgreSQL that asks for passwords by TLS, and chooses the addresses.
func newProduction(t *testing.T) *production {
	t.Helper()
	dir := t.TempDir()
	roots := certificate(t, dir)
	p := &production{t: t, dir: dir, proxy: ports.Must(t, "127.0.0.1"), environments: map[string][]string{}}
	p.client = newClient(t, p.proxy, roots)
	_, p.dbPort, _ = strings.Cut(ports.Must(t, "127.0.0.1"), ":")
	p.addresses = map[string]string{}
	for _, shipped := range []string{"127.0.0.1:8080", "127.0.0.1:8081", "127.0.0.1:9090", "127.0.0.1:9091"} {
		p.addresses[shipped] = ports.Must(t, "127.0.0.1")
	}
	// The server refuses a key that others can read, and runs as another user than root.
	key, access := filepath.Join(dir, "server.key"), filepath.Join(dir, "pg_hba.conf")
	raw := testutil.ReadFile(t, filepath.Join(dir, "key.pem"))
	write(t, key, string(raw))
	write(t, access, "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n")
	if os.Geteuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			tools.Missing(t, "PostgreSQL is not installed")
		}
		uid, _ := strconv.Atoi(u.Uid)
		for _, file := range []string{key, access, filepath.Join(dir, "cert.pem")} {
			testutil.Must(t, os.Chown(file, uid, -1))
		}
		for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
			testutil.Must(t, os.Chmod(d, 0o755))
		}
	}
	c, err := cluster.Start(t.Context(), "listen_addresses=127.0.0.1", "port="+p.dbPort, "ssl=on",
		"ssl_cert_file="+filepath.Join(dir, "cert.pem"), "ssl_key_file="+key, "hba_file="+access)
	if err != nil {
		tools.Missing(t, err.Error())
	}
	t.Cleanup(c.Stop)
	p.db = c.URL
	return p
}

// newKey writes a key-encryption key, as openssl rand -hex 32 does.
func (p *production) newKey(unit string) {
	raw := make([]byte, 32)
	rand.Read(raw)
	write(p.t, filepath.Join(p.dir, unit+".key"), hex.EncodeToString(raw)+"\n")
}

// TestInstall follows docs/how-to/install.md with the files of this folder: from the roles of PostgreSQL to the
// first report behind nginx with TLS on another port than 443, with a private authority for all connections, a
// sandbox beside production, a backup that is restored, and a new key.
func TestInstall(t *testing.T) {
	tools.FullOnly(t)
	assets.Need(t)
	i := &installation{production: newProduction(t)}
	_, i.port, _ = strings.Cut(i.proxy, ":")
	i.portal, i.provider = "https://"+portalHost+":"+i.port, "https://"+providerHost+":"+i.port
	stopProvider, stopPortal := i.install()
	t.Run("doctor", i.testDoctor)
	t.Run("keys of each environment", i.testKeys)
	id := i.apply(i.portal)
	report := i.report(i.portal, id)
	if report == "" {
		t.Fatal("no report")
	}
	t.Run("email", i.testEmail)
	units := []string{"harbor", "provider"}
	for _, unit := range units {
		i.backUp(unit)
	}
	if out, errs, err := i.run("provider", "operator", "backup-done", "elsewhere"); err != nil {
		t.Errorf("backup-done: %v\n%s%s", err, out, errs)
	}
	stopPortal()
	stopProvider()
	if i.private.spans.Load() == 0 {
		t.Error("the collector got no spans")
	}
	for _, unit := range units {
		i.restore(unit)
	}
	t.Run("a restored database needs its key", i.testForeignKey)
	i.start("provider", "provider")
	stopPortal = i.start("harbor", "portal")
	if got := i.report(i.portal, id); got != report {
		t.Errorf("the restored report is\n%s\nand was\n%s", got, report)
	}
	stopPortal()
	t.Run("a new key", func(t *testing.T) {
		i.rotateKey(t)
		i.start("harbor", "portal")
		if got := i.report(i.portal, id); got != report {
			t.Errorf("with the new key the report is\n%s", got)
		}
	})
}

// installation is a production with a provider of both environments and the portal of one business.
type installation struct {
	*production
	port, portal, provider string // the last two are addresses
	private                *privateServers
}

// install follows the guide, and returns how to stop the provider and the portal.
func (i *installation) install() (stopProvider, stopPortal func()) {
	t := i.t
	passwords := map[string]string{}
	for _, name := range []string{"provider", "harbor", "sandbox"} {
		passwords[name] = rand.Text()
		i.database("vestibule_"+name, passwords[name])
		i.newKey(name)
	}
	i.private = newPrivateServers(t, i.dir)
	sandbox := filepath.Join(i.dir, "sandbox.env")
	write(t, sandbox, i.substituted("sandbox.env", passwords["sandbox"]))
	variables := func(file, unit string) string {
		return strings.ReplaceAll(i.substituted(file, passwords[unit], "VESTIBULE_CA_FILE", "VESTIBULE_SMTP_ADDR", "VESTIBULE_SMTP_FROM"),
			"mail.example.com:587", i.private.mail)
	}
	i.unit("provider", variables("provider.env", "provider")+
		"VESTIBULE_SANDBOX_SETTINGS="+sandbox+"\nVESTIBULE_OTLP_ENDPOINT="+i.private.traces.URL+"\n")
	stopProvider = i.start("provider", "provider")
	account, link, err := i.run("provider", "customer", "add", "Harbor Bank", "--staff=ops@harbor.example", "--portal="+i.portal,
		"--format=env")
	if err != nil || !strings.Contains(link, i.provider+"/dashboard/set-password/") {
		t.Fatalf("customer add: %v\n%s%s", err, account, link)
	}
	i.unit("harbor", variables("portal.env", "harbor")+account)
	stopPortal = i.start("harbor", "portal")
	run(t, nginx(t, i.dir, i.proxy, i.addresses["127.0.0.1:8080"], i.addresses["127.0.0.1:8081"]))
	answer(t, i.client, i.portal)
	return stopProvider, stopPortal
}

func (i *installation) testDoctor(t *testing.T) {
	for _, unit := range []string{"harbor", "provider"} {
		if findings, errs, err := i.run(unit, "doctor"); err != nil || unit == "harbor" && strings.Contains(findings, "fail") {
			t.Errorf("doctor of %s: %v\n%s%s", unit, err, findings, errs)
		}
	}
	withCA := i.environments["harbor"]
	defer func() { i.environments["harbor"] = withCA }()
	i.environments["harbor"] = slices.DeleteFunc(slices.Clone(withCA), func(v string) bool {
		return strings.HasPrefix(v, "VESTIBULE_CA_FILE=")
	})
	if findings, _, err := i.run("harbor", "doctor"); err == nil || !strings.Contains(findings, "--ca-file") {
		t.Errorf("doctor without the private authority: %v\n%s", err, findings)
	}
}

func (i *installation) testKeys(t *testing.T) {
	keys := func(host string) string {
		resp, err := i.client.Get("https://" + host + ":" + i.port + "/connect/jwkset")
		testutil.Must(t, err)
		defer resp.Body.Close()
		raw, _ := io.ReadAll(resp.Body)
		return strconv.Itoa(resp.StatusCode) + string(raw)
	}
	if live, sandbox := keys(providerHost), keys("sandbox.example.com"); live == sandbox || live[:3] != "200" || sandbox[:3] != "200" {
		t.Errorf("production and sandbox have the keys\n%s\n%s", live, sandbox)
	}
}

// testEmail requests a link to the applicant's whole file.
func (i *installation) testEmail(t *testing.T) {
	r, _ := http.NewRequest("POST", i.provider+"/access", strings.NewReader(url.Values{"email": {"anne@mail.example"}}.Encode()))
	r.Header.Set("Content-Type", asForm)
	r.Header.Set("Origin", i.provider)
	if resp, err := i.client.Do(r); err != nil || resp.StatusCode >= 400 {
		t.Errorf("a request for a link: %v %v", resp, err)
	}
	select {
	case letter := <-i.private.letters:
		if !strings.Contains(letter, "anne@mail.example") {
			t.Errorf("the email is\n%s", letter)
		}
	case <-time.After(2 * time.Minute):
		t.Error("no email arrives")
	}
}

// testForeignKey starts the portal with another key than its database has.
func (i *installation) testForeignKey(t *testing.T) {
	right := filepath.Join(i.dir, "harbor.key")
	testutil.Must(t, os.Rename(right, right+".kept"))
	i.newKey("harbor")
	_, errs, err := i.run("harbor", "portal")
	if err == nil || !strings.Contains(errs, "the key-encryption key is not the one that encrypted this database") {
		t.Errorf("with another key: %v\n%s", err, errs)
	}
	testutil.Must(t, os.Rename(right+".kept", right))
}

// rotateKey replaces the portal's key while it runs.
func (i *installation) rotateKey(t *testing.T) {
	old := filepath.Join(i.dir, "harbor.old.key")
	testutil.Must(t, os.Rename(filepath.Join(i.dir, "harbor.key"), old))
	i.newKey("harbor")
	final := i.environments["harbor"]
	i.environments["harbor"] = append(slices.Clone(final), "VESTIBULE_OLD_MASTER_KEY_FILE="+old)
	stop := i.start("harbor", "portal")
	if out, errs, err := i.run("harbor", "keys", "rotate"); err != nil {
		t.Errorf("keys rotate: %v\n%s%s", err, out, errs)
	}
	stop()
	i.environments["harbor"] = final
}

// apply goes through an application by redirect, with a pay stub, and returns its id.
func (p *production) apply(portal string) (id string) {
	t := p.t
	t.Helper()
	at, _ := url.Parse(portal)
	send := func(method, kind string, body io.Reader) *http.Response {
		r, err := http.NewRequest(method, at.String(), body)
		testutil.Must(t, err)
		if method == "POST" {
			r.Header.Set("Content-Type", kind)
			r.Header.Set("Origin", at.Scheme+"://"+at.Host)
		}
		resp, err := p.client.Do(r)
		testutil.Must(t, err)
		raw, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode >= 400 {
			t.Fatalf("%s %s: %s\n%s", method, at.Path, resp.Status, raw)
		}
		return resp
	}
	follow := func(resp *http.Response) { // a redirect
		to, err := resp.Location()
		if err != nil {
			t.Fatalf("%s answers %s: %v", at.Path, resp.Status, err)
		}
		at = to
	}
	form := func(pairs ...string) *http.Response {
		values := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			values.Set(pairs[i], pairs[i+1])
		}
		return send("POST", "application/x-www-form-urlencoded", strings.NewReader(values.Encode()))
	}
	at.Path = "/applications"
	follow(form("firstName", "Anne-Marie", "lastName", "St. Cyr", "email", "anne@mail.example", "dob-month", "1", "dob-day", "2",
		"dob-year", "1980", "product", "income", "mode", "redirect"))
	id = strings.Split(at.Path, "/")[2]
	follow(send("GET", "", nil)) // the link at the provider
	follow(send("GET", "", nil)) // the visit
	send("GET", "", nil)
	at.RawQuery = ""
	visit := at.Path
	form("action", "consent")
	form("action", "source", "source", "paystubs")
	stub := testutil.ReadFile(t, "../../internal/analysis/paystub/testdata/modern.pdf")
	var upload bytes.Buffer
	w := multipart.NewWriter(&upload)
	part, _ := w.CreateFormFile("file", "paystub.pdf")
	part.Write(stub)
	w.Close()
	at.Path = visit + "/documents"
	send("POST", w.FormDataContentType(), &upload)
	at.Path = visit
	form("action", "hand-in")
	form("action", "finish")
	at.Path = visit + "/return"
	follow(send("GET", "", nil)) // the signed result, to the portal
	send("GET", "", nil)
	return id
}

// report returns the report of an application by the portal's API, when it is there.
func (p *production) report(portal, id string) string {
	p.t.Helper()
	made, err := program.ReadCredentials(filepath.Join(p.dir, "vestibule-harbor"))
	testutil.Must(p.t, err)
	deadline := time.Now().Add(30 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for ; ; <-tick.C {
		r, _ := http.NewRequest("GET", portal+"/api/v1/applications/"+id+"/report", nil)
		r.Header.Set("Authorization", "Bearer "+made.PortalAPIKey)
		resp, err := p.client.Do(r)
		if err == nil {
			raw, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode == 200 {
				if !json.Valid(raw) || !bytes.Contains(raw, []byte("Lumen")) {
					p.t.Errorf("the report is\n%s", raw)
				}
				return string(raw)
			}
			err = fmt.Errorf("%s: %s", resp.Status, raw)
		}
		if time.Now().After(deadline) {
			p.t.Fatal(err)
		}
	}
}

// backUp makes the backup of docs/how-to/install.md.
func (p *production) backUp(unit string) {
	p.t.Helper()
	p.postgres("pg_dump", []string{"PGSSLROOTCERT=" + filepath.Join(p.dir, "cert.pem")}, "-Fc", "-n", partyOf(unit),
		"-f", filepath.Join(p.dir, unit+".dump"), p.databaseURL(unit))
}

// restore replaces the database of a unit by its backup.
func (p *production) restore(unit string) {
	p.t.Helper()
	name := "vestibule_" + unit
	admin, err := url.Parse(p.db)
	testutil.Must(p.t, err)
	env := []string{"PGHOST=" + admin.Query().Get("host"), "PGPORT=" + p.dbPort, "PGUSER=" + admin.Query().Get("user")}
	p.postgres("dropdb", env, name)
	p.postgres("createdb", env, "-O", name, "-T", "template0", "-E", "UTF8", name)
	p.postgres("psql", append(env, "PGDATABASE=postgres"), "-v", "ON_ERROR_STOP=1", "-c",
		"REVOKE CONNECT, TEMPORARY ON DATABASE "+name+" FROM PUBLIC")
	p.postgres("pg_restore", []string{"PGSSLROOTCERT=" + filepath.Join(p.dir, "cert.pem")}, "-d", p.databaseURL(unit),
		filepath.Join(p.dir, unit+".dump"))
}

func partyOf(unit string) string {
	if unit == "provider" {
		return "provider"
	}
	return "portal"
}

// databaseURL returns the address of a unit's database for PostgreSQL's own programs.
func (p *production) databaseURL(unit string) string {
	for _, v := range p.environments[unit] {
		if address, found := strings.CutPrefix(v, "VESTIBULE_DATABASE_URL="); found {
			return address + "&hostaddr=127.0.0.1"
		}
	}
	p.t.Fatal(unit + " has no database")
	return ""
}

// privateServers are a mail server with STARTTLS and a collector of traces, with the certificate of a private
// authority.
type privateServers struct {
	mail    string // address
	letters chan string
	traces  *httptest.Server
	spans   atomic.Int64 // requests with spans
}

func newPrivateServers(t *testing.T, dir string) *privateServers {
	t.Helper()
	cert, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	testutil.Must(t, err)
	config := &tls.Config{Certificates: []tls.Certificate{cert}}
	s := &privateServers{letters: make(chan string, 100)}
	s.traces = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if raw, _ := io.ReadAll(r.Body); r.URL.Path == "/v1/traces" && len(raw) > 0 {
			s.spans.Add(1)
		}
	}))
	s.traces.TLS = config
	s.traces.StartTLS()
	t.Cleanup(s.traces.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testutil.Must(t, err)
	_, port, _ := strings.Cut(l.Addr().String(), ":")
	s.mail = "mail.example.com:" + port
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.receive(c, config) })
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return s
}

// receive receives letters, and only after STARTTLS.
func (s *privateServers) receive(c net.Conn, config *tls.Config) {
	defer func() { c.Close() }()
	c.SetDeadline(time.Now().Add(time.Minute))
	in, secure := bufio.NewReader(c), false
	fmt.Fprint(c, "220 mail\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch command := strings.Fields(line + " ?")[0]; {
		case command == "EHLO" && !secure:
			fmt.Fprint(c, "250-mail\r\n250 STARTTLS\r\n")
		case command == "STARTTLS":
			fmt.Fprint(c, "220 go on\r\n")
			c = tls.Server(c, config)
			in, secure = bufio.NewReader(c), true
		case command == "QUIT":
			fmt.Fprint(c, "221 bye\r\n")
			return
		case command == "DATA" && secure:
			fmt.Fprint(c, "354 go on\r\n")
			var letter strings.Builder
			for line != ".\r\n" {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
				letter.WriteString(line)
			}
			s.letters <- letter.String()
			fallthrough
		case secure || command == "EHLO":
			fmt.Fprint(c, "250 yes\r\n")
		default:
			fmt.Fprint(c, "530 only with TLS\r\n")
		}
	}
}

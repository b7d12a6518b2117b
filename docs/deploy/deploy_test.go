package deploy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"vestibule/internal/app"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/ports"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/tools"
)

const (
	portalHost   = "apply.example.com"
	providerHost = "service.example.com"
)

var proxies = map[string]func(t *testing.T, dir, at, portal, provider string) *exec.Cmd{"nginx": nginx, "caddy": caddy}

// secretPaths are the paths of pages whose next segment is a secret.
var secretPaths = []string{"/access/link/", "/connect/relay-tokens/", "/dashboard/set-password/", "/invite/", "/operator/set-password/",
	"/redirect/",
	"/redirect/finish/", "/resume/", "/review/set-password/", "/visit/"}

// TestProxiesLogNoSecrets asks each proxy for addresses with secrets while the program is away.
func TestProxiesLogNoSecrets(t *testing.T) {
	tools.FullOnly(t)
	for name, configure := range proxies {
		t.Run(name, func(t *testing.T) {
			dir, at := t.TempDir(), ports.Must(t, "127.0.0.1")
			c := newClient(t, at, certificate(t, dir))
			out, stop := run(t, configure(t, dir, at, ports.Must(t, "127.0.0.1"), ports.Must(t, "127.0.0.1")))
			addresses := []string{"https://" + portalHost + "/redirect/return?jwt=canary", "https://" + portalHost + "/plain"}
			for _, path := range secretPaths {
				addresses = append(addresses, "https://"+portalHost+path+"canary", "https://"+providerHost+path+"canary/documents?lang=canary")
			}
			// of mangled links
			for _, path := range []string{"//resume/", "/%72esume/", "/./resume/", "/a/../resume/", "/a//../resume/", "/resume//", "/resume%2f"} {
				addresses = append(addresses, "https://"+portalHost+path+"canary")
			}
			for _, address := range addresses {
				if resp := answer(t, c, address); resp.StatusCode != http.StatusBadGateway {
					t.Errorf("%s: %s", address, resp.Status)
				}
			}
			if name == "nginx" { // Caddy has no requests by http in its log
				answer(t, newClient(t, plainAddress(t, dir), nil), "http://"+portalHost+"/resume/canary?lang=canary")
			}
			stop()
			logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
			testutil.Must(t, err)
			all := out.String()
			for _, path := range logs {
				raw := testutil.ReadFile(t, path)
				all += string(raw)
			}
			if !strings.Contains(all, "/plain") || strings.Contains(all, "canary") {
				t.Errorf("the logs are\n%s", all)
			}
		})
	}
}

// TestSecretPaths requires that each route with a secret in its path is one of secretPaths.
func TestSecretPaths(t *testing.T) {
	route, found := regexp.MustCompile(`"(?:[A-Z]+ )?(/[^"{]*/)\{(?:token|handle|secret)\}`), 0
	err := filepath.WalkDir("../../internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "/provider/sandbox/") { // its controls listen on loopback only
			return err
		}
		raw, err := os.ReadFile(path)
		for _, m := range route.FindAllStringSubmatch(string(raw), -1) {
			paths := []string{m[1]}
			if strings.HasSuffix(path, "/dashboard/pages.go") { // pages of two kinds of users
				paths = []string{"/dashboard" + m[1], "/operator" + m[1]}
			}
			for _, p := range paths {
				if found++; !slices.Contains(secretPaths, p) {
					t.Errorf("%s: the proxies write secrets of %s into their logs", path, p)
				}
			}
		}
		return err
	})
	if err != nil || found < 10 {
		t.Errorf("found %d routes: %v", found, err)
	}
}

// plainAddress returns the address at which nginx listens for http.
func plainAddress(t *testing.T, dir string) string {
	t.Helper()
	raw := testutil.ReadFile(t, filepath.Join(dir, "nginx.conf"))
	found := regexp.MustCompile(`listen ([\d.:]+);`).FindSubmatch(raw)
	if found == nil {
		t.Fatal("nginx does not listen for http")
	}
	return string(found[1])
}

// TestProxies starts the program behind each proxy with the configuration of this folder,
// of which only addresses and certificates are replaced.
func TestProxies(t *testing.T) {
	tools.FullOnly(t)
	assets.Need(t)
	dir := t.TempDir()
	roots := certificate(t, dir)
	portal, provider := ports.Must(t, "127.0.0.1"), ports.Must(t, "127.0.0.1")
	start(t, portal, provider)
	for name, configure := range proxies {
		t.Run(name, func(t *testing.T) {
			at := ports.Must(t, "127.0.0.1")
			run(t, configure(t, dir, at, portal, provider))
			behind(t, newClient(t, at, roots))
		})
	}
}

// run starts a proxy, which ends with stop or with the test, and returns what it prints.
func run(t *testing.T, proxy *exec.Cmd) (out *logtest.Buffer, stop func()) {
	out = &logtest.Buffer{}
	proxy.Stdout, proxy.Stderr = out, out
	testutil.Must(t, proxy.Start())
	stop = sync.OnceFunc(func() {
		proxy.Process.Signal(os.Interrupt)
		proxy.Wait() // its status is that of an interrupted program
	})
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Log(out)
		}
	})
	return out, stop
}

// answer asks a proxy that has just started, until it answers.
func answer(t *testing.T, c *http.Client, address string) *http.Response {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	r, err := http.NewRequest("GET", address, nil)
	testutil.Must(t, err)
	r.Header.Set("Referer", address)
	for {
		resp, err := c.Do(r)
		if err == nil {
			resp.Body.Close()
			return resp
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// behind checks what the program needs of a proxy.
func behind(t *testing.T, c *http.Client) {
	resp := answer(t, c, "https://"+portalHost+"/?lang=es")
	if resp.StatusCode != 200 || resp.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("landing page: %s %v", resp.Status, resp.Header)
	}
	for path, want := range map[string]int{
		"https://" + providerHost + "/widget/v1/widget.js": 200,
		"https://" + providerHost + "/connect/jwkset":      200,
		"https://" + portalHost + "/no/such/page":          404,
		"https://sandbox.example.com/connect/jwkset":       200, // another name of the provider
	} {
		if got := get(t, c, path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	t.Run("an upload of 30 MB reaches the program", func(t *testing.T) {
		r, _ := http.NewRequest("POST", "https://"+providerHost+"/connect/v2/cashflow/byo-report", strings.NewReader(strings.Repeat("x", 30<<20)))
		r.Header.Set("Content-Type", "application/json")
		resp, err := c.Do(r)
		if err != nil {
			return // the program answered before the end of the body and closed the connection
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusRequestEntityTooLarge && !strings.Contains(resp.Header.Get("Content-Type"), "json") {
			t.Error("the proxy refused the body")
		}
	})
	t.Run("clients are told apart, and cannot choose their address", func(t *testing.T) {
		// The limit counts the network of the client; here it is always this machine's.
		form := url.Values{"email": {"unknown@example.org"}, "password": {"not the password"}}
		last := 0
		for i := range 12 {
			r, _ := http.NewRequest("POST", "https://"+portalHost+"/review/sign-in", strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", "https://"+portalHost)
			r.Header.Set("X-Forwarded-For", "203.0.113."+string(rune('0'+i%10)))
			resp, err := c.Do(r)
			testutil.Must(t, err)
			resp.Body.Close()
			last = resp.StatusCode
		}
		if last != http.StatusTooManyRequests {
			t.Errorf("the twelfth try of one client under made-up addresses: %d, want 429", last)
		}
	})
	t.Run("events are not held back", func(t *testing.T) {
		form := url.Values{"firstName": {"Ana"}, "lastName": {"Reyes"}, "email": {"ana@example.com"}, "dob-month": {"1"}, "dob-day": {"2"},
			"dob-year": {"1990"}, "product": {"cashflow"}, "mode": {"embedded"}}
		r, _ := http.NewRequest("POST", "https://"+portalHost+"/applications", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "https://"+portalHost)
		resp, err := c.Do(r)
		testutil.Must(t, err)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		id := regexp.MustCompile(`/applications/([^/?]+)`).FindStringSubmatch(resp.Header.Get("Location"))
		if id == nil {
			t.Fatalf("no application: %s\n%s", resp.Status, body)
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		r, _ = http.NewRequestWithContext(ctx, "GET", "https://"+portalHost+"/applications/"+id[1]+"/stream", nil)
		r.Header.Set("Accept", "text/event-stream")
		if resp, err = c.Do(r); err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || resp.StatusCode != 200 {
			t.Errorf("first line of the stream: %q, %v, %s", line, err, resp.Status)
		}
	})
}

func get(t *testing.T, c *http.Client, url string) int {
	t.Helper()
	resp, err := c.Get(url)
	testutil.Must(t, err)
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// start runs the program behind a proxy until the end of the test.
func start(t *testing.T, portal, provider string) {
	program.Start(t, app.Run, &logtest.Buffer{}, "--behind-proxy", "--portal-addr="+portal, "--provider-addr="+provider,
		"--portal-url=https://"+portalHost, "--provider-url=https://"+providerHost, "--data-dir="+t.TempDir())
}

func find(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		path = "/usr/sbin/" + name
	}
	if _, err := os.Stat(path); err != nil {
		tools.Missing(t, name+" is not installed")
	}
	return path
}

// nginx runs nginx with nginx.conf.
func nginx(t *testing.T, dir, at, portal, provider string) *exec.Cmd {
	path := find(t, "nginx")
	raw := testutil.ReadFile(t, "nginx.conf")
	conf := replace(t, string(raw), "listen 443 ssl http2;", "listen "+at+" ssl http2;", "server 127.0.0.1:8080;", "server "+portal+";",
		"server 127.0.0.1:8081;", "server "+provider+";", "/var/log/nginx/", dir+"/", "listen 80;", "listen "+ports.Must(t, "127.0.0.1")+";")
	conf = regexp.MustCompile(`/etc/ssl/certs/[\w.]+\.pem`).ReplaceAllString(conf, dir+"/cert.pem")
	conf = regexp.MustCompile(`/etc/ssl/private/[\w.]+\.key`).ReplaceAllString(conf, dir+"/key.pem")
	var temp strings.Builder
	for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temp.WriteString(name + "_temp_path " + dir + "/" + name + ";\n")
	}
	main := filepath.Join(dir, "nginx.conf")
	write(t, main, "daemon off;\nmaster_process off;\npid "+dir+"/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n"+temp.String()+conf+"}\n")
	if out, err := exec.Command(path, "-t", "-c", main, "-p", dir).CombinedOutput(); err != nil {
		t.Fatalf("nginx -t: %v\n%s", err, out)
	}
	return exec.Command(path, "-c", main, "-p", dir)
}

// caddy runs Caddy with the Caddyfile.
func caddy(t *testing.T, dir, at, portal, provider string) *exec.Cmd {
	path := find(t, "caddy")
	raw := testutil.ReadFile(t, "Caddyfile")
	_, port, _ := net.SplitHostPort(at)
	conf := string(raw)
	for _, host := range []string{"{$PORTAL_HOST:" + portalHost + "} {", "{$PROVIDER_HOST:" + providerHost + "} {"} {
		conf = replace(t, conf, host, host+"\n\ttls "+dir+"/cert.pem "+dir+"/key.pem")
	}
	main := filepath.Join(dir, "Caddyfile")
	write(t, main, replace(t, conf, "\n{\n\tlog {", "\n{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n\tlog {"))
	cmd := exec.Command(path, "run", "--config", main, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "PORTAL_UPSTREAM="+portal, "PROVIDER_UPSTREAM="+provider, "PORTAL_HOST="+portalHost+":"+port,
		"PROVIDER_HOST="+providerHost+":"+port+", sandbox.example.com:"+port,
		"XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "HOME="+dir)
	return cmd
}

// replace replaces each text, of which there must be one at least.
func replace(t *testing.T, s string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(s, pairs[i]) {
			t.Fatalf("no %q in the configuration", pairs[i])
		}
		s = strings.ReplaceAll(s, pairs[i], pairs[i+1])
	}
	return s
}

func write(t *testing.T, path, content string) {
	testutil.Must(t, os.WriteFile(path, []byte(content), 0o600))
}

// certificate writes a certificate of both hosts and its key into dir.
func certificate(t *testing.T, dir string) *x509.CertPool {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testutil.Must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: portalHost},
		DNSNames:    []string{portalHost, providerHost, "sandbox.example.com", "submit.example.com", "db.internal", "mail.example.com"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	testutil.Must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	testutil.Must(t, err)
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(t, filepath.Join(dir, "cert.pem"), string(cert))
	write(t, filepath.Join(dir, "key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cert)
	return roots
}

// newClient returns a client that reaches both hosts at one address.
func newClient(t *testing.T, at string, roots *x509.CertPool) *http.Client {
	jar, err := cookiejar.New(nil)
	testutil.Must(t, err)
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at)
	}
	transport := &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// variablesOf returns the variables that a command takes, by its help.
func variablesOf(t *testing.T, command ...string) []string {
	t.Helper()
	var help strings.Builder
	if exit := app.Run(t.Context(), append(command, "--help"), &help, io.Discard); exit != 0 {
		t.Fatalf("%v has no help", command)
	}
	return regexp.MustCompile(`VESTIBULE_[A-Z_]+`).FindAllString(help.String(), -1)
}

// TestVariables holds that each variable in these files is one of the program's, and that each process gets those
// that its command takes.
func TestVariables(t *testing.T) {
	known := variablesOf(t)
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".go") {
			return err
		}
		for _, name := range regexp.MustCompile(`VESTIBULE_[A-Z_]*[A-Z]`).FindAllString(string(testutil.ReadFile(t, path)), -1) {
			if !slices.Contains(known, name) {
				t.Errorf("%s: the program has no variable %s", path, name)
			}
		}
		return nil
	})
	testutil.Must(t, err)
	takes := func(where, command string, names ...string) {
		if len(names) == 0 {
			t.Errorf("%s has no variables", where)
		}
		taken := variablesOf(t, command)
		for _, name := range names {
			if strings.HasPrefix(name, "VESTIBULE_") && !slices.Contains(taken, name) {
				t.Errorf("%s: vestibule %s does not use %s", where, command, name)
			}
		}
	}
	in := func(file string) []string {
		return regexp.MustCompile(`(?m)^#?(VESTIBULE_[A-Z_]+)=`).FindAllString(string(testutil.ReadFile(t, file)), -1)
	}
	for file, command := range map[string]string{"provider.env": "provider", "portal.env": "portal", "sandbox.env": "provider"} {
		var names []string
		for _, line := range in(file) {
			names = append(names, strings.Trim(line, "#="))
		}
		takes(file, command, names...)
	}
	for file, services := range map[string]int{"compose.yaml": 2, "compose.both.yaml": 1} {
		for name, service := range composeOf(t, file).Services {
			if name == "provider" || name == "portal" {
				services--
				takes(file+": "+name, name, slices.Collect(maps.Keys(service.Environment))...)
			}
		}
		if services != 0 {
			t.Errorf("%s: %d services fewer than expected", file, services)
		}
	}
	deployments := 0
	configs := map[string]manifest{}
	for _, m := range manifests(t) {
		if m.Kind == "ConfigMap" {
			configs[m.Metadata.Name] = m
		}
	}
	for _, m := range manifests(t) {
		for _, c := range m.Spec.Template.Spec.Containers {
			deployments++
			for _, from := range c.EnvFrom {
				if name := from.ConfigMapRef.Name; name != "" {
					takes("kubernetes.yaml: "+name, c.Args[0], slices.Collect(maps.Keys(configs[name].Data))...)
				}
			}
		}
	}
	if deployments != 2 {
		t.Errorf("kubernetes.yaml has %d deployments", deployments)
	}
}

// compose is what the tests read of a compose file.
type compose struct {
	Services map[string]struct {
		Image       string
		Command     []string
		Environment map[string]string
		Secrets     []any
		MemLimit    string `yaml:"mem_limit"`
	}
	Secrets map[string]struct{ File string }
	Volumes map[string]any
}

func composeOf(t *testing.T, file string) (c compose) {
	t.Helper()
	if err := yaml.Unmarshal(testutil.ReadFile(t, file), &c); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

// TestComposeIsWhole requires that each secret that a service takes is a file, and each file that one.
func TestComposeIsWhole(t *testing.T) {
	for _, file := range []string{"compose.yaml", "compose.both.yaml"} {
		c, used := composeOf(t, file), map[string]bool{}
		for name, service := range c.Services {
			for _, secret := range service.Secrets {
				of, _ := secret.(string)
				if long, ok := secret.(map[string]any); ok {
					of, _ = long["source"].(string)
				}
				if used[of] = true; c.Secrets[of].File != "./secrets/"+of {
					t.Errorf("%s: %s takes the secret %q of the file %q", file, name, of, c.Secrets[of].File)
				}
			}
		}
		if len(used) < 2 || len(used) != len(c.Secrets) {
			t.Errorf("%s: services take %v of %v", file, used, c.Secrets)
		}
	}
}

// manifest is what the tests read of a manifest of Kubernetes.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Template    podTemplate
		JobTemplate struct {
			Spec struct{ Template podTemplate }
		} `yaml:"jobTemplate"`
		Selector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
			App         string
		}
		PodSelector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		} `yaml:"podSelector"`
		Rules []struct {
			HTTP struct {
				Paths []struct {
					Backend struct{ Service struct{ Name string } }
				}
			}
		}
	}
}

type podTemplate struct {
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		Containers     []container
		InitContainers []container `yaml:"initContainers"`
		Volumes        []struct {
			Name                  string
			Secret                struct{ SecretName string } `yaml:"secret"`
			ConfigMap             struct{ Name string }       `yaml:"configMap"`
			PersistentVolumeClaim struct{ ClaimName string }  `yaml:"persistentVolumeClaim"`
		}
	}
}

type container struct {
	Name    string
	Args    []string
	EnvFrom []struct {
		ConfigMapRef struct{ Name string } `yaml:"configMapRef"`
		SecretRef    struct{ Name string } `yaml:"secretRef"`
	} `yaml:"envFrom"`
	VolumeMounts []struct{ Name string } `yaml:"volumeMounts"`
	Resources    struct{ Limits map[string]string }
}

func manifests(t *testing.T) (all []manifest) {
	t.Helper()
	d := yaml.NewDecoder(bytes.NewReader(testutil.ReadFile(t, "kubernetes.yaml")))
	for {
		var m manifest
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
}

// TestManifestsReferToEachOther requires that each name in kubernetes.yaml is that of a part of it, or of what the
// guide's commands create.
func TestManifestsReferToEachOther(t *testing.T) {
	all := manifests(t)
	exists := map[string]bool{}
	for _, m := range all {
		exists[strings.ToLower(m.Kind)+" "+m.Metadata.Name] = true
	}
	guide := string(testutil.ReadFile(t, "README.md"))
	for _, found := range regexp.MustCompile(`kubectl create (secret generic|configmap) ([\w-]+)`).FindAllStringSubmatch(guide, -1) {
		exists[strings.TrimSuffix(found[1], " generic")+" "+found[2]] = true
	}
	for _, party := range []string{"provider", "portal"} {
		for _, kind := range []string{"configmap", "deployment", "service", "poddisruptionbudget", "networkpolicy", "ingress", "secret"} {
			if !exists[kind+" vestibule-"+party] {
				t.Errorf("there is no %s vestibule-%s", kind, party)
			}
		}
	}
	needs := func(m manifest, kind, name string) {
		if name != "" && !exists[kind+" "+name] {
			t.Errorf("%s %s needs the %s %q", m.Kind, m.Metadata.Name, kind, name)
		}
	}
	for _, m := range all {
		for _, selected := range []string{m.Spec.Selector.App, m.Spec.Selector.MatchLabels["app"], m.Spec.PodSelector.MatchLabels["app"]} {
			needs(m, "deployment", selected)
		}
		for _, rule := range m.Spec.Rules {
			for _, path := range rule.HTTP.Paths {
				needs(m, "service", path.Backend.Service.Name)
			}
		}
		for _, pod := range []podTemplate{m.Spec.Template, m.Spec.JobTemplate.Spec.Template} {
			volumes := map[string]bool{}
			for _, v := range pod.Spec.Volumes {
				volumes[v.Name] = true
				needs(m, "secret", v.Secret.SecretName)
				needs(m, "configmap", v.ConfigMap.Name)
				needs(m, "persistentvolumeclaim", v.PersistentVolumeClaim.ClaimName)
			}
			for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
				for _, from := range c.EnvFrom {
					needs(m, "configmap", from.ConfigMapRef.Name)
					needs(m, "secret", from.SecretRef.Name)
				}
				for _, mount := range c.VolumeMounts {
					if !volumes[mount.Name] {
						t.Errorf("%s %s mounts %q, which is no volume", m.Kind, m.Metadata.Name, mount.Name)
					}
				}
				if c.Resources.Limits["memory"] == "" {
					t.Errorf("%s %s: %s has no limit of memory", m.Kind, m.Metadata.Name, c.Name)
				}
			}
		}
		if label := m.Spec.Template.Metadata.Labels["app"]; m.Kind == "Deployment" && label != m.Metadata.Name {
			t.Errorf("the pods of %s have the label %q", m.Metadata.Name, label)
		}
	}
}

// TestUnitsAreEquallyStrict requires that the two systemd units differ in names only.
func TestUnitsAreEquallyStrict(t *testing.T) {
	after := func(file string) string {
		_, rest, found := strings.Cut(string(testutil.ReadFile(t, file)), "\nStateDirectoryMode=")
		if !found {
			t.Fatalf("%s has no folder of state", file)
		}
		return rest
	}
	if after("vestibule-provider.service") != after("vestibule-portal@.service") {
		t.Error("the units differ")
	}
}

// TestUnitsVerify asks systemd whether it understands the units.
func TestUnitsVerify(t *testing.T) {
	path, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd is not installed")
	}
	dir := t.TempDir()
	for _, file := range []string{"vestibule-provider.service", "vestibule-portal@.service"} {
		write(t, filepath.Join(dir, file), replace(t, string(testutil.ReadFile(t, file)), "/usr/local/bin/vestibule", "/bin/true"))
	}
	out, err := exec.Command(path, "verify", filepath.Join(dir, "vestibule-provider.service"),
		filepath.Join(dir, "vestibule-portal@harbor.service")).CombinedOutput()
	if err != nil || strings.Contains(string(out), "vestibule-p") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// TestTimeToStop requires that each supervisor waits for the drain grace and 45 seconds
// before it kills the program.
func TestTimeToStop(t *testing.T) {
	for _, file := range []struct{ grace, wait, setting string }{
		{"compose.yaml", "compose.yaml", `stop_grace_period: (\d+)s`},
		{"kubernetes.yaml", "kubernetes.yaml", `terminationGracePeriodSeconds: (\d+)`},
		{"portal.env", "vestibule-portal@.service", `TimeoutStopSec=(\d+)`},
		{"provider.env", "vestibule-provider.service", `TimeoutStopSec=(\d+)`},
	} {
		grace, wait := number(t, file.grace, `VESTIBULE_DRAIN_GRACE(?:=|: )(\d+)s`), number(t, file.wait, file.setting)
		if wait < grace+45 {
			t.Errorf("%s: the program is killed after %d s, and needs up to %d s", file.wait, wait, grace+45)
		}
	}
}

// TestKeyIsOnlyAFile requires that no Secret with a key-encryption key is also given as environment variables.
func TestKeyIsOnlyAFile(t *testing.T) {
	raw := string(testutil.ReadFile(t, "kubernetes.yaml"))
	variables := regexp.MustCompile(`secretRef: \{name: (\S+)\}`).FindAllStringSubmatch(raw, -1)
	keys := regexp.MustCompile(`secretName: (vestibule\S+)`).FindAllStringSubmatch(raw, -1)
	for _, key := range keys {
		for _, v := range variables {
			if key[1] == v[1] || !strings.HasSuffix(key[1], "-key") {
				t.Errorf("Secret of the key %q, of the variables %q: want two", key[1], v[1])
			}
		}
	}
	if len(keys) != 3 || len(variables) < 4 {
		t.Errorf("%d keys, %d Secrets of variables", len(keys), len(variables))
	}
}

// TestSecretsAreNotCopied requires that neither the image's build nor a commit takes the
// files that compose.yaml's first steps write beside it.
func TestSecretsAreNotCopied(t *testing.T) {
	written := map[string]bool{".env": true, "certificates": true, "secrets": true}
	compose := string(testutil.ReadFile(t, "compose.yaml"))
	for _, file := range regexp.MustCompile(`(?:file|env_file): \[?\./?(\w+)/`).FindAllStringSubmatch(compose, -1) {
		written[file[1]] = true
	}
	for _, list := range []string{"Dockerfile.dockerignore", "../../.gitignore"} {
		raw := testutil.ReadFile(t, list)
		for name := range written {
			if !slices.ContainsFunc(strings.Fields(string(raw)), func(line string) bool { return strings.Trim(line, "/") == "docs/deploy/"+name }) {
				t.Errorf("%s does not name docs/deploy/%s", list, name)
			}
		}
	}
}

// number returns the number that a setting has in a file.
func number(t *testing.T, path, setting string) int {
	t.Helper()
	raw := testutil.ReadFile(t, path)
	found := regexp.MustCompile(setting).FindSubmatch(raw)
	if found == nil {
		t.Fatalf("%s: no %s", path, setting)
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// TestFilesAreForProduction requires that no file runs a sandbox at the public names.
func TestFilesAreForProduction(t *testing.T) {
	var commands []string
	for name, service := range composeOf(t, "compose.yaml").Services {
		if service.Image != "vestibule" {
			continue
		}
		commands = append(commands, service.Command...)
		if service.Environment["VESTIBULE_ENVIRONMENT"] != "production" {
			t.Errorf("compose.yaml: %s is a sandbox", name)
		}
	}
	if slices.Sort(commands); !slices.Equal(commands, []string{"portal", "provider"}) {
		t.Errorf("compose.yaml runs %v", commands)
	}
	const set = "\nVESTIBULE_ENVIRONMENT=production\n"
	for file, want := range map[string]string{"provider.env": set, "kubernetes.yaml": "\n  VESTIBULE_ENVIRONMENT: production\n",
		"vestibule-provider.service": "\nExecStart=/usr/local/bin/vestibule provider\n",
		"vestibule-portal@.service":  "\nExecStart=/usr/local/bin/vestibule portal\n"} {
		if !strings.Contains(string(testutil.ReadFile(t, file)), want) {
			t.Errorf("%s lacks %q", file, want)
		}
	}
}

// TestImagesArePinned requires a digest of each image that is not built here.
func TestImagesArePinned(t *testing.T) {
	image, pinned, found := regexp.MustCompile(`(?m)^(?:FROM|\s+image:) (\S+)`), regexp.MustCompile(`@sha256:[0-9a-f]{64}$`), 0
	for _, file := range []string{"Dockerfile", "compose.yaml", "kubernetes.yaml"} {
		for _, m := range image.FindAllStringSubmatch(string(testutil.ReadFile(t, file)), -1) {
			if m[1] == "scratch" || m[1] == "vestibule" {
				continue
			}
			if found++; !pinned.MatchString(m[1]) && m[1] != "registry.example.com/vestibule@sha256:DIGEST" {
				t.Errorf("%s: %s has no digest", file, m[1])
			}
		}
	}
	if found < 4 {
		t.Errorf("found %d images", found)
	}
}

// TestYAML parses every document of the YAML files.
func TestYAML(t *testing.T) {
	for _, name := range []string{"compose.yaml", "compose.both.yaml", "kubernetes.yaml"} {
		raw := testutil.ReadFile(t, name)
		d := yaml.NewDecoder(strings.NewReader(string(raw)))
		for n := 1; ; n++ {
			var v map[string]any
			if err := d.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil || len(v) == 0 {
				t.Errorf("%s: document %d: %v", name, n, err)
				break
			}
		}
	}
}

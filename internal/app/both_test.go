package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/app"
	"vestibule/internal/contract"
	"vestibule/internal/provider/visits"
	"vestibule/internal/staff"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/ports"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/tools"
)

// bothServer is a provider that serves production and a sandbox. Its testServer is the sandbox's.
type bothServer struct {
	testServer
	production  string // address of production
	settings    string // file of the sandbox
	productions []string
	customer    bothCustomer // of production, with every feature
	args        []string
}

type bothCustomer struct {
	program.Account
	Products  map[string]string
	Dashboard struct{ Email, Link string }
}

const submissionHost = "submit.example"

// eachBoth runs f against a provider of both environments on SQLite and on PostgreSQL.
func eachBoth(t *testing.T, f func(t *testing.T, w *bothServer)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, startBoth(t, "", ""))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, startBoth(t, storetest.MigratedURL(t), storetest.MigratedURL(t)))
	})
}

// eachBothInFull is eachBoth in make test-full. Before, f runs on SQLite alone.
func eachBothInFull(t *testing.T, f func(t *testing.T, w *bothServer)) {
	if tools.Full() {
		eachBoth(t, f)
		return
	}
	t.Parallel()
	f(t, startBoth(t, "", ""))
}

func startBoth(t *testing.T, productionURL, sandboxURL string) *bothServer {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	assets.Need(t)
	staff.UseCheapHashes()
	at, operator := ports.Must(t, "127.0.0.1"), ports.Must(t, "127.0.0.1")
	_, port, _ := strings.Cut(at, ":")
	_, own, _ := strings.Cut(operator, ":")
	w := &bothServer{production: "http://localhost:" + port, settings: filepath.Join(t.TempDir(), "sandbox.env")}
	w.testServer = testServer{dir: storetest.DataDir(t), databaseURL: sandboxURL, Log: &logtest.Buffer{}}
	w.write(t, "# The sandbox", "VESTIBULE_PROVIDER_URL=http://"+at, "VESTIBULE_DATA_DIR="+w.dir, "", "VESTIBULE_DATABASE_URL="+sandboxURL,
		"VESTIBULE_SANDBOX_CONTROL_ADDR=127.0.0.1:0", `VESTIBULE_OPERATOR_URL="http://`+operator+`"`)
	w.productions = []string{"--environment=production", "--data-dir=" + storetest.DataDir(t), "--database-url=" + productionURL,
		"--provider-url=" + w.production, "--operator-addr=" + operator, "--operator-url=http://localhost:" + own,
		"--sandbox-settings=" + w.settings}
	w.args = append([]string{"provider", "--provider-addr=" + at, "--admin-addr=127.0.0.1:0",
		"--submission-url=http://" + submissionHost}, w.productions...)
	w.start(t)
	w.openStores(t, sandboxURL)
	runJSON(t, &w.customer, append([]string{"customer", "add", "Harbor Bank", "--staff=ops@harbor.example"}, w.productions...)...)
	runJSON(t, nil, append([]string{"customer", "enable", w.customer.PublicID, "relay-tokens", "hierarchy"}, w.productions...)...)
	return w
}

// start starts the program, and reads the credentials of the sandbox.
func (w *bothServer) start(t *testing.T) {
	t.Helper()
	w.Program = program.Start(t, app.Run, w.Log, w.args...)
	w.Provider = sandboxAddress(w.args)
	var err error
	if w.Credentials, err = program.ReadCredentials(w.dir); err != nil {
		t.Fatal(err)
	}
}

func sandboxAddress(args []string) string {
	return "http://" + strings.TrimPrefix(args[1], "--provider-addr=")
}

func (w *bothServer) write(t *testing.T, lines ...string) {
	t.Helper()
	testutil.Must(t, os.WriteFile(w.settings, []byte(strings.Join(lines, "\n")), 0o600))
}

// hosted is a request to a host that has no address.
func (w *bothServer) hosted(t *testing.T, host, method, path, body string, header ...string) reply {
	t.Helper()
	req := ask(t, method, w.Provider+path, body, header...)
	req.Host = host
	got, err := send(req)
	testutil.Must(t, err)
	return got
}

// TestCredentialsAcrossEnvironments uses everything that one environment has given out at the
// other's host. The answer must be that for an unknown one.
func TestCredentialsAcrossEnvironments(t *testing.T) {
	eachBothInFull(t, func(t *testing.T, w *bothServer) {
		production := testServer{Program: &program.Program{Listeners: program.Listeners{Provider: w.production}}}
		x := &crossing{bothServer: w, at: w.production, own: w.Credentials.Account, theirs: w.customer.Account}
		x.ownBearer, x.theirBearer = w.bearer(t, x.own), production.bearer(t, x.theirs)
		t.Run("callers", x.refuseCallers)
		t.Run("identifiers", x.refuseIdentifiers)
		t.Run("key sets", x.compareKeySets)
	})
}

// crossing uses what one environment issued at the other's host.
type crossing struct {
	*bothServer
	at                     string          // the production host
	own, theirs            program.Account // of the sandbox, and of production
	ownBearer, theirBearer string
}

func (x *crossing) refuseCallers(t *testing.T) {
	atProduction := "credentials of the sandbox environment at the production host"
	atSandbox := "credentials of the production environment at the sandbox host"
	wrong := program.Account{ClientID: x.own.ClientID, SecretKey: "x"}
	for name, c := range map[string]struct {
		host, path, authorization, says string
	}{
		"sandbox's secret":     {x.at, "/connect/accesstoken", basic(x.own), atProduction},
		"production's secret":  {x.Provider, "/connect/accesstoken", basic(x.theirs), atSandbox},
		"sandbox's token":      {x.at, "/connect/status", x.ownBearer, atProduction},
		"production's token":   {x.Provider, "/connect/status", x.theirBearer, atSandbox},
		"an unknown secret":    {x.at, "/connect/accesstoken", basic(wrong), "unknown client or wrong secret"},
		"a secret, as a token": {x.at, "/connect/status", "Bearer " + strings.TrimPrefix(basic(x.own), "Basic "), "unknown"},
	} {
		for _, named := range []string{"", "sandbox", "production"} {
			header := []string{"Authorization", c.authorization, "X-Public-Token", uuid.NewString()}
			if named != "" {
				header = append(header, "X-Environment", named)
			}
			got := do(t, ask(t, "GET", c.host+c.path, "", header...))
			if got.Status != 403 || got.field("error") != "UNKNOWN_CUSTOMER" {
				t.Errorf("%s with X-ENVIRONMENT %q: %d %s", name, named, got.Status, got.Body)
			}
			line := regexp.MustCompile(`.*"request failed".*` + got.field("requestId") + `.*`).FindString(x.Log.String())
			if c.says != "unknown" && !strings.Contains(line, c.says) {
				t.Errorf("%s: the log says %q, want %q", name, line, c.says)
			}
		}
	}
	for host, authorization := range map[string]string{x.at: basic(x.theirs), x.Provider: basic(x.own)} {
		env := map[string]string{x.at: "sandbox", x.Provider: "production"}[host]
		got := do(t, ask(t, "GET", host+"/connect/accesstoken", "", "Authorization", authorization, "X-Environment", env))
		if got.Status != 403 || got.field("error") != "UNKNOWN_CUSTOMER" {
			t.Errorf("%s with X-ENVIRONMENT %s: %d", host, env, got.Status)
		}
	}
}

// foreignID is an identifier of one environment, an unknown one of its kind, and a request
// at the other environment's host.
type foreignID struct {
	id, unknown string
	request     func(id string) *http.Request
}

// foreignCaller makes requests with one account's credentials, in which {id} stands for an identifier.
type foreignCaller struct {
	t                 *testing.T
	at, bearer, basic string
}

// ask returns a request without credentials.
func (c foreignCaller) ask(method, path, body string, header ...string) func(id string) *http.Request {
	return func(id string) *http.Request {
		with := make([]string, len(header))
		for i, h := range header {
			with[i] = strings.ReplaceAll(h, "{id}", id)
		}
		return ask(c.t, method, c.at+strings.ReplaceAll(path, "{id}", id), strings.ReplaceAll(body, "{id}", id), with...)
	}
}

// fetch returns a request with the bearer token.
func (c foreignCaller) fetch(path string, header ...string) func(id string) *http.Request {
	return c.ask("GET", path, "", append([]string{"Authorization", c.bearer}, header...)...)
}

// send returns a request with the client's secret.
func (c foreignCaller) send(method, path, body string) func(id string) *http.Request {
	return c.ask(method, path, body, "Authorization", c.basic, "Content-Type", asJSON)
}

// refuseIdentifiers compares the answers about the other environment's identifiers with
// those about unknown ones.
func (x *crossing) refuseIdentifiers(t *testing.T) {
	sandbox := x.addSandboxRows(t)
	for name, c := range x.foreignIDs(t, sandbox) {
		got, err := send(c.request(c.id))
		want, err2 := send(c.request(c.unknown))
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if got.Status != want.Status || !reflect.DeepEqual(anonymous(got), anonymous(want)) || drawn(got) != drawn(want) ||
			got.Header.Get("Location") != want.Header.Get("Location") || got.Header.Get("Set-Cookie") != "" && want.Header.Get("Set-Cookie") == "" {
			t.Errorf("%s: the other environment's is answered %d %.200s\nan unknown one %d %.200s", name,
				got.Status, got.Body, want.Status, want.Body)
		}
	}
	// They are good at their own host.
	good(t, 201, ask(t, "POST", x.Provider+"/widget/v1/visits", x.registration(sandbox.unused), "Content-Type", asJSON))
	good(t, 200, ask(t, "GET", x.customer.Dashboard.Link, ""))
	good(t, 200, ask(t, "GET", sandbox.operator, ""))
}

// sandboxRows are identifiers and links of the sandbox environment.
type sandboxRows struct {
	unused, publicToken, relay, consumer, child, childProduct, redirected, invited, person, operator string
}

func (x *crossing) addSandboxRows(t *testing.T) (r sandboxRows) {
	t.Helper()
	r.unused = x.token(t, `,"externalId":"mine-1"`)
	r.publicToken = x.complete(t, x.token(t, `,"externalId":"mine-2"`)).field("publicToken")
	r.relay = x.post(t, 200, "/connect/relay-tokens", `{"publicToken":"`+r.publicToken+
		`","publicId":"`+x.Credentials.ThirdParty.PublicID+`"}`).field("relayToken")
	r.consumer = x.post(t, 201, "/connect/consumers", `{"consumerExternalId":"mine-3","prefill":`+goodPrefill+`}`).field("consumerId")
	r.child, r.childProduct, _ = x.child(t)
	good(t, 204, ask(t, "POST", x.Control+"/complete-urls", `{"publicId":"`+x.own.PublicID+`","url":"https://app.example/back"}`,
		"Content-Type", asJSON))
	link := func(path, more string) string {
		r := x.post(t, 200, path, x.initialization(more))
		for _, field := range []string{"redirectUrl", "inviteLink", "inviteUrl", "link", "url"} {
			if got := r.field(field); got != "" {
				return got[strings.LastIndex(got, "/")+1:]
			}
		}
		t.Fatalf("%s gives no link: %s", path, r.Body)
		return ""
	}
	r.redirected, r.invited = link("/secure-redirect", `,"completeUrl":"https://app.example/back"`), link("/connect/invite-link", "")
	var person, operator struct{ Link string }
	runJSON(t, &person, "consumer", "link", canaryEmail, "--environment=sandbox", "--sandbox-settings="+x.settings)
	runJSON(t, &operator, "operator", "add", "ops@service.example", "--environment=sandbox", "--sandbox-settings="+x.settings)
	runJSON(t, nil, append([]string{"operator", "add", "ops@service.example"}, x.productions...)...)
	r.person, r.operator = person.Link, operator.Link
	return r
}

func (x *crossing) foreignIDs(t *testing.T, r sandboxRows) map[string]foreignID {
	c := foreignCaller{t, x.at, x.theirBearer, basic(x.theirs)}
	product, prefill := x.customer.Products["cashflow"], `,"prefill":`+goodPrefill+`}`
	visit := func(account, more string) func(id string) *http.Request {
		return c.ask("POST", "/widget/v1/visits", `{"env":"production","productId":"`+product+`","publicId":"`+account+`"`+more,
			"Content-Type", asJSON)
	}
	last := func(link string) string { return link[strings.LastIndex(link, "/")+1:] }
	atOperator, atSandbox := c, c
	atOperator.at, atSandbox.at = strings.TrimPrefix(x.productions[5], "--operator-url="), x.Provider
	const report, initialize = "/connect/cashflow/v2/json", "/connect/initialization"
	unknown, none := uuid.NewString(), strings.Repeat("A", 43)
	return map[string]foreignID{
		"report":                    {r.publicToken, unknown, c.fetch(report, "X-Public-Token", "{id}")},
		"status by external id":     {"mine-2", "unknown", c.fetch("/connect/status", "X-External-Id", "{id}")},
		"sharing token":             {r.relay, unknown, c.fetch(report, "X-Public-Token", "{id}")},
		"sharing token to withdraw": {r.relay, unknown, c.send("DELETE", "/connect/relay-tokens/{id}", "")},
		"report to share": {r.publicToken, unknown,
			c.send("POST", "/connect/relay-tokens", `{"publicToken":"{id}","publicId":"`+x.own.PublicID+`"}`)},
		"account to act for":     {r.child, "svc-unknown", c.fetch("/connect/status", "X-Public-Token", unknown, "X-Public-Id", "{id}")},
		"child account":          {r.child, "svc-unknown", c.send("POST", "/accounts/{id}/products", `{"productName":"x"}`)},
		"product":                {x.Credentials.Products["cashflow"], unknown, c.send("POST", initialize, `{"productId":"{id}"`+prefill)},
		"child's product":        {r.childProduct, unknown, c.send("POST", initialize, `{"productId":"{id}"`+prefill)},
		"consumer":               {r.consumer, unknown, c.send("POST", initialize, `{"productId":"`+product+`","consumerId":"{id}"}`)},
		"consumer to read":       {r.consumer, unknown, c.send("GET", "/connect/consumers/{id}", "")},
		"publicId in the widget": {x.own.PublicID, "svc-unknown", visit("{id}", prefill)},
		"initialization token":   {r.unused, none, visit(x.theirs.PublicID, `,"token":"{id}"}`)},
		"redirect":               {r.redirected, none, c.ask("GET", "/redirect/{id}", "")},
		"invite":                 {r.invited, none, c.ask("GET", "/invite/{id}", "")},
		"bank's answer":          {r.unused, none, c.ask("GET", visits.CallbackPath+"?code=x&state={id}", "")},
		"consumer's link":        {last(r.person), none, c.ask("GET", "/access/link/{id}", "")},
		"operator's link":        {last(r.operator), none, atOperator.ask("GET", "/operator/set-password/{id}", "")},
		"customer's link":        {last(x.customer.Dashboard.Link), none, atSandbox.ask("GET", "/dashboard/set-password/{id}", "")},
		"session of a dashboard": {x.staff(t, x.Credentials.Dashboard)[1], "vestibule-dashboard=x",
			c.ask("GET", "/dashboard/reports", "", "Cookie", "{id}")},
		"password of a dashboard": {x.Credentials.Dashboard.Password, "not the password", c.ask("POST", "/dashboard/sign-in",
			"email="+x.Credentials.Dashboard.Email+"&password={id}", "Content-Type", asForm, "Origin", x.at)},
	}
}

func (x *crossing) compareKeySets(t *testing.T) {
	kids := func(base string) (out []string) {
		var set struct{ Keys []struct{ Kid string } }
		if err := json.Unmarshal(good(t, 200, ask(t, "GET", base+"/connect/jwkset", "")).Body, &set); err != nil || len(set.Keys) == 0 {
			t.Fatal(err, set)
		}
		for _, k := range set.Keys {
			out = append(out, k.Kid)
		}
		return out
	}
	for _, kid := range kids(x.at) {
		if slices.Contains(kids(x.Provider), kid) {
			t.Errorf("both environments publish the key %s", kid)
		}
	}
}

// drawn returns the title of a page, and whether it has a field for a password.
func drawn(r reply) string {
	return fmt.Sprintf("%s %v", regexp.MustCompile(`<title>.*</title>`).Find(r.Body), bytes.Contains(r.Body, []byte(`type="password"`)))
}

// TestHostsOfBothEnvironments asks the submission host, and hosts that are not configured.
func TestHostsOfBothEnvironments(t *testing.T) {
	eachBoth(t, func(t *testing.T, w *bothServer) {
		accounts := map[string]program.Account{"production": w.customer.Account, "sandbox": w.Credentials.Account}
		products := map[string]string{"production": w.customer.Products["cashflow"], "sandbox": w.Credentials.Products["cashflow"]}
		t.Run("submission", func(t *testing.T) { submitToBoth(t, w, accounts, products) })
		t.Run("unknown", func(t *testing.T) { refuseUnknownHosts(t, w) })
		t.Run("admin", func(t *testing.T) { reachAdminOfBoth(t, w) })
		t.Run("replica", func(t *testing.T) { addReplicaOfBoth(t, w, accounts) })
		t.Run("restart", func(t *testing.T) {
			testutil.Must(t, w.End())
			w.start(t)
			for env, base := range map[string]string{"production": w.production, "sandbox": w.Provider} {
				good(t, 200, ask(t, "GET", base+"/connect/accesstoken", "", "Authorization", basic(accounts[env])))
			}
		})
	})
}

func submitToBoth(t *testing.T, w *bothServer, accounts map[string]program.Account, products map[string]string) {
	for env, a := range accounts {
		named := []string{"X-Environment", env}
		got := w.hosted(t, submissionHost, "GET", "/connect/accesstoken", "", append(named, "Authorization", basic(a))...)
		named = append(named, "Authorization", "Bearer "+base64.StdEncoding.EncodeToString([]byte(got.field("accessToken"))))
		got = w.hosted(t, submissionHost, "POST", "/connect/v2/cashflow/byo-report", goodSubmission("e-1"),
			append(named, "X-Product-Id", products[env], "Content-Type", asJSON)...)
		if got.Status != 200 || got.field("status") != "PENDING" {
			t.Fatalf("%s: %d %s", env, got.Status, got.Body)
		}
		named = append(named, "X-Public-Token", got.field("publicToken"))
		w.until(t, func() bool {
			return w.hosted(t, submissionHost, "GET", "/connect/status", "", named...).field("status") == "SUCCESS"
		})
		if got := w.hosted(t, submissionHost, "GET", "/connect/cashflow/v2/json", "", named...); got.Status != 200 {
			t.Errorf("%s: %d %s", env, got.Status, got.Body)
		}
		other := map[string]string{"production": "sandbox", "sandbox": "production"}[env]
		named[1] = other
		got = w.hosted(t, submissionHost, "GET", "/connect/status", "", named...)
		if got.Status != 403 || got.field("error") != "UNKNOWN_CUSTOMER" {
			t.Errorf("%s's token for %s: %d %s", env, other, got.Status, got.Body)
		}
	}
	for name, c := range map[string]struct {
		path   string
		values []string
		code   contract.Code
	}{
		"no environment":           {"/connect/accesstoken", nil, contract.CodeMalformedHeaders},
		"an empty one":             {"/connect/accesstoken", []string{""}, contract.CodeMalformedHeaders},
		"an unknown one":           {"/connect/accesstoken", []string{"staging"}, contract.CodeMalformedHeaders},
		"two":                      {"/connect/accesstoken", []string{"sandbox", "production"}, contract.CodeMalformedHeaders},
		"the same twice":           {"/connect/status", []string{"sandbox", "sandbox"}, contract.CodeMalformedHeaders},
		"another endpoint":         {"/connect/jwkset", []string{"sandbox"}, contract.CodeNotFound},
		"a page":                   {"/dashboard", []string{"production"}, contract.CodeNotFound},
		"the widget":               {"/widget/v1/widget.js", []string{"sandbox"}, contract.CodeNotFound},
		"a path that is not clean": {"//connect/accesstoken", []string{"sandbox"}, contract.CodeNotFound},
	} {
		header := []string{"Authorization", basic(w.customer.Account)}
		for _, v := range c.values {
			header = append(header, "X-Environment", v)
		}
		got := w.hosted(t, submissionHost, "GET", c.path, "", header...)
		if got.Status != c.code.Info().Status || got.field("error") != string(c.code) {
			t.Errorf("%s: %d %s, want %s", name, got.Status, got.Body, c.code)
		}
	}
}

func refuseUnknownHosts(t *testing.T, w *bothServer) {
	for _, host := range []string{"evil.example", "localhost.evil.example", "sandbox@localhost", "localhost.", "[::1]", "127.0.0.2"} {
		for _, path := range []string{"/connect/accesstoken", "/dashboard/sign-in", "/operator", "/docs", "/connect/jwkset"} {
			got := w.hosted(t, host, "GET", path, "", "X-Forwarded-Host", "localhost", "X-Environment", "production",
				"Authorization", basic(w.customer.Account))
			if got.Status != http.StatusMisdirectedRequest && got.Status != http.StatusBadRequest || strings.Contains(string(got.Body), host) {
				t.Errorf("%s%s: %d %s", host, path, got.Status, got.Body)
			}
		}
	}
	for _, host := range []string{"LOCALHOST:1", "localhost"} { // proxies pass a name without port, and case does not count
		if got := w.hosted(t, host, "GET", "/connect/accesstoken", "", "Authorization", basic(w.customer.Account)); got.Status != 200 {
			t.Errorf("%s: %d %s", host, got.Status, got.Body)
		}
	}
}

func reachAdminOfBoth(t *testing.T, w *bothServer) {
	for path, want := range map[string]string{"/readyz": "ready", "/readyz/sandbox": "ready",
		"/metrics": `vestibule_database_connections_open{party="provider-sandbox"}`} {
		if got := good(t, 200, ask(t, "GET", w.Admin+path, "")); !strings.Contains(string(got.Body), want) {
			t.Errorf("%s has no %s", path, want)
		}
	}
	for env, want := range map[string]string{"production": "ready\n", "sandbox": "ready\n"} {
		if code, out, errs := run(t, "health", "--admin-url="+w.Admin, "--admin-addr=127.0.0.1:1", "--environment="+env,
			"--sandbox-settings="+w.settings); code != 0 || out != want {
			t.Errorf("%s: %d %s%s", env, code, out, errs)
		}
	}
}

func addReplicaOfBoth(t *testing.T, w *bothServer, accounts map[string]program.Account) {
	if w.databaseURL == "" { // SQLite is of one process
		return
	}
	at := ports.Must(t, "127.0.0.1")
	args := slices.Clone(w.args)
	args[1] = "--provider-addr=" + at
	args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--operator-addr=") })
	args = append(args, "--operator-addr="+ports.Must(t, "127.0.0.1"))
	program.Start(t, app.Run, &logtest.Buffer{}, args...)
	replica := bothServer{testServer: testServer{Program: &program.Program{Listeners: program.Listeners{Provider: "http://" + at}}}}
	for env, host := range map[string]string{"production": "localhost", "sandbox": "127.0.0.1"} {
		token := w.hosted(t, host, "GET", "/connect/accesstoken", "", "Authorization", basic(accounts[env])).field("accessToken")
		got := replica.hosted(t, host, "GET", "/connect/status", "", "Authorization",
			"Bearer "+base64.StdEncoding.EncodeToString([]byte(token)), "X-External-Id", "e-1")
		if got.Status != 200 {
			t.Errorf("%s: the replica answers %d %s", env, got.Status, got.Body)
		}
	}
}

// TestCommandsChooseTheEnvironment lists the accounts of each environment.
func TestCommandsChooseTheEnvironment(t *testing.T) {
	eachBothInFull(t, func(t *testing.T, w *bothServer) {
		var all []struct{ PublicID string }
		runJSON(t, &all, append([]string{"customer", "list", "--json"}, w.productions...)...)
		if len(all) != 1 || all[0].PublicID != w.customer.PublicID {
			t.Errorf("production has the accounts %v", all)
		}
		sandbox := []string{"--environment=sandbox", "--sandbox-settings=" + w.settings}
		runJSON(t, &all, append([]string{"customer", "list", "--json"}, sandbox...)...)
		if len(all) != 3 || all[0].PublicID == w.customer.PublicID || all[1].PublicID == w.customer.PublicID {
			t.Errorf("the sandbox has the accounts %v", all)
		}
		runJSON(t, nil, append([]string{"keys", "rotate"}, sandbox...)...)
		var made bothCustomer
		runJSON(t, &made, append([]string{"customer", "add", "Harbor Test", "--staff=ops@harbor.example"}, sandbox...)...)
		if !strings.HasPrefix(made.Dashboard.Link, w.Provider) {
			t.Errorf("the sandbox's link is %s", made.Dashboard.Link)
		}
		good(t, 200, ask(t, "GET", w.Provider+"/connect/accesstoken", "", "Authorization", basic(made.Account)))
		args := append([]string{"customer", "list", "--data-dir=" + t.TempDir()}, sandbox...)
		if code, _, errs := run(t, args...); code != 2 || !strings.Contains(errs, "leave the flag out") {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	})
}

// apart is a provider of both environments, whose sandbox has settings of a file.
type apart struct{ dir string } // data folder of production

// provider runs the command provider until it is refused.
func (a apart) provider(t *testing.T, settings []string, args ...string) (exit int, errs string) {
	t.Helper()
	exit, _, errs = run(t, append([]string{"provider", "--environment=production", "--provider-addr=127.0.0.1:0",
		"--provider-url=http://localhost:1", "--data-dir=" + a.dir, "--sandbox-settings=" + settingsFile(t, settings...)}, args...)...)
	return exit, errs
}

func settingsFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sandbox.env")
	testutil.Must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	return path
}

// TestBothEnvironmentsStayApart refuses what two environments would share.
func TestBothEnvironmentsStayApart(t *testing.T) {
	t.Parallel()
	assets.Need(t)
	a := apart{dir: t.TempDir()}
	dir, key := a.dir, filepath.Join(a.dir, "k.key")
	testutil.Must(t, os.WriteFile(key, []byte(strings.Repeat("ab", 32)), 0o600))
	here, own := "VESTIBULE_PROVIDER_URL=http://127.0.0.1:1", "VESTIBULE_DATA_DIR="+t.TempDir()
	for name, c := range map[string]struct {
		settings []string
		args     []string
		says     string
	}{
		"one data folder":     {[]string{here, "VESTIBULE_DATA_DIR=" + dir}, nil, "the same database, " + filepath.Join(dir, "provider.db")},
		"by another path":     {[]string{here, "VESTIBULE_DATA_DIR=" + dir + "/../" + filepath.Base(dir)}, nil, "the same database"},
		"one host":            {[]string{"VESTIBULE_PROVIDER_URL=http://LOCALHOST:2", own}, nil, "have the same host, localhost"},
		"no host":             {[]string{own}, nil, "--provider-url of the sandbox is required"},
		"the submission host": {[]string{here, own}, []string{"--submission-url=http://127.0.0.1:3"}, "have the same host"},
		"a submission path":   {[]string{here, own}, []string{"--submission-url=http://submit.example/x"}, "--submission-url"},
		"one key": {[]string{here, own, "VESTIBULE_MASTER_KEY_FILE=" + key}, []string{"--master-key-file=" + key},
			"production's key"},
		"production in the file": {[]string{here, own, "VESTIBULE_ENVIRONMENT=production"}, nil, "the environment must be sandbox"},
		"a sandbox by flags":     {[]string{here, own}, []string{"--environment=sandbox"}, "give --environment production"},
		"the operator's host": {[]string{here, own, "VESTIBULE_OPERATOR_URL=http://localhost:7"}, []string{"--operator-addr=127.0.0.1:0",
			"--operator-url=http://localhost:7"}, "--operator-url of the sandbox have the same host"},
		"no operator's listener": {[]string{here, own, "VESTIBULE_OPERATOR_URL=http://127.0.0.1:7"}, nil,
			"sandbox: --operator-url needs --operator-addr"},
		"no operator's host":    {[]string{here, own}, []string{"--operator-addr=127.0.0.1:0"}, "--operator-url of production is required"},
		"a flag of the process": {[]string{here, own, "VESTIBULE_LOG_LEVEL=debug"}, nil, "line 3: VESTIBULE_LOG_LEVEL is the same for both"},
		"a portal's flag":       {[]string{here, own, "VESTIBULE_BRAND_FILE=x"}, nil, "line 3: VESTIBULE_BRAND_FILE is no variable"},
		"an unknown variable":   {[]string{"", here, own, "VESTIBULE_COLOR=red"}, nil, "line 4: VESTIBULE_COLOR is no variable"},
		"no variable":           {[]string{"hello"}, nil, "line 1: must be NAME=VALUE"},
		"a variable twice":      {[]string{here, here}, nil, "line 2: VESTIBULE_PROVIDER_URL is given twice"},
		"a bad value":           {[]string{here, own, "VESTIBULE_WIDGET_RATE=x"}, nil, "--widget-rate: must be a whole number"},
		"a refused value":       {[]string{here, own, "VESTIBULE_WIDGET_RATE=-1"}, nil, "sandbox: --widget-rate"},
	} {
		if exit, errs := a.provider(t, c.settings, c.args...); exit != 2 || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit code %d, want words with %q:\n%s", name, exit, c.says, errs)
		}
	}
	for want, args := range map[string][]string{
		"--sandbox-settings: the command serve does not use it": {"serve", "--sandbox-settings=" + settingsFile(t, here, own)},
		"needs --sandbox-settings":                              {"provider", "--submission-url=http://submit.example"},
	} {
		if exit, errs := attempt(t, args...); exit != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", args[0], exit, errs)
		}
	}
	if !testing.Short() {
		t.Run("one database", func(t *testing.T) { a.refuseOneDatabase(t, here, own) })
	}
}

// refuseOneDatabase gives the sandbox production's database, also by a name that only the server knows to be its own.
func (a apart) refuseOneDatabase(t *testing.T, settings ...string) {
	address := storetest.MigratedURL(t)
	u, err := url.Parse(address)
	testutil.Must(t, err)
	q, alias := u.Query(), filepath.Join(t.TempDir(), "pg")
	testutil.Must(t, os.Symlink(q.Get("host"), alias))
	q.Set("host", alias)
	u.RawQuery = q.Encode()
	for other, says := range map[string]string{address + "&application_name=other": "the same database, PostgreSQL",
		u.String(): "sandbox: a database of its own, not production's, is needed"} {
		exit, errs := apart{dir: t.TempDir()}.provider(t, append(settings, "VESTIBULE_DATABASE_URL="+other), "--database-url="+address)
		if exit == 0 || !strings.Contains(errs, says) {
			t.Errorf("exit code %d, want words with %q:\n%s", exit, says, errs)
		}
	}
}

package app_test

import (
	"context"
	"database/sql"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil"
)

// sentLinks lists each function that makes an address which people get by email, by an API's answer or
// on paper, with the kind of link. A link that is missing in TestOpeningLinksChangesNothing fails
// it, and so does a function that makes an address and is not listed here.
var sentLinks = map[string]string{
	"portal/api.issueToken":           "connect link",
	"portal/resume.link":              "resume link",
	"portal/review/decisions.emailOf": "decision's letter",
	"provider/redirects.create":       "secure redirect",
	"provider/invites.create":         "invite",
	"provider/access.link":            "link to what was shared",
	"provider/access.write":           "link to what was shared",
	"provider/access.confirm":         "confirmation of a change at /access",
	"provider/access.confirmChange":   "confirmation of a change at /access",
	"provider/access.confirmDeletion": "confirmation of a change at /access",
	"provider/disputes.letter":        "letter about a dispute",
	"staff.LinkURL":                   "link to set a password",
	"staff.sendInvitation":            "sign-in of staff",
}

// otherAddresses make addresses that are not sent to people.
var otherAddresses = map[string]bool{
	"provider.New": true, "provider.wire": true, "staff.flow": true, // where banks and issuers lead back to
	"provider/sources/remote.call": true, "provider/sources/remote.newProgram": true, "provider/sources/remote.signature": true, // servers
	"portal/developers.begun": true, "portal/developers.created": true, "portal/developers.listings": true,
	"portal/developers.response": true, // shown with a masked token
}

// sentLinks makes at least one link of each kind.
func (w *testServer) sentLinks(t *testing.T) map[string][]string {
	t.Helper()
	basicAuth := []string{"Authorization", basic(w.Credentials.Account), "Content-Type", asJSON}
	prepared := `,"sandboxReportId":"` + good(t, 201, ask(t, "POST", w.Control+"/sandbox-reports", `{"product":"cashflow","profile":"joint"}`,
		"Content-Type", asJSON)).field("sandboxReportId") + `"`
	link := func(path, field, more string) string {
		return good(t, 200, ask(t, "POST", w.Provider+path, w.initialization(more), basicAuth...)).field(field)
	}
	connect := func(mode string) string {
		body := `{"product":"cashflow","mode":"` + mode + `","prefill":` + goodPrefill + `}`
		made := ask(t, "POST", w.Portal+"/api/v1/applications", body, "Authorization", w.key(), "Content-Type", asJSON)
		return good(t, 201, made).field("connectUrl")
	}
	id, embedToken := w.application(t, "embedded")
	page := good(t, 200, ask(t, "POST", w.Portal+"/applications/"+id+"/link", "", "Cookie", w.enter(t, id, embedToken),
		"Content-Type", asForm))
	resume := regexp.MustCompile(regexp.QuoteMeta(w.Portal) + `/resume/[\w-]+`).Find(page.Body)

	var operator, consumer struct{ Link string }
	var customer struct{ Dashboard struct{ Link string } }
	w.operate(t, &operator, "operator", "add", "ops@service.example")
	w.operate(t, &consumer, "consumer", "link", canaryEmail)
	w.operate(t, &customer, "customer", "add", "Harbor Bank", "--staff=ada@harbor.example")
	return map[string][]string{
		"connect link":      {connect("embedded"), connect("redirect"), connect("redirect-form")},
		"resume link":       {string(resume)},
		"decision's letter": {w.Portal + "/return"},
		"secure redirect":   {link("/secure-redirect", "redirectUrl", ""), link("/secure-redirect", "redirectUrl", prepared)},
		"invite": {link("/connect/invite-link", "inviteLink", ""),
			link("/connect/invite-link", "inviteLink", prepared)},
		"link to what was shared":             {consumer.Link},
		"confirmation of a change at /access": {w.Provider + "/access?lang=es"},
		"letter about a dispute":              {w.Provider + "/access/disputes/D-2026-AAAAAA?lang=en"},
		"link to set a password":              {operator.Link, customer.Dashboard.Link},
		"sign-in of staff":                    {w.Portal + "/review/sign-in?lang=es", w.Provider + "/dashboard/sign-in?lang=es"},
	}
}

// goesOn finds a page that goes on by its script before a person acts.
var goesOn = regexp.MustCompile(`data-opens="seen"|data-vestibule="leave">`)

// TestOpeningLinksChangesNothing opens each kind of link that people get, as mail scanners and
// previews of links do: by GET and HEAD, twice, with and without cookies, following redirects.
// No row of either database may change, and no page may change one by its script alone.
func TestOpeningLinksChangesNothing(t *testing.T) {
	kinds := slices.Collect(maps.Values(sentLinks))
	for _, name := range addressMakers(t) {
		if sentLinks[name] == "" && !otherAddresses[name] {
			t.Errorf("%s makes an address: add it to sentLinks, or to otherAddresses", name)
		}
	}
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		all := w.sentLinks(t)
		for _, kind := range kinds {
			if len(all[kind]) == 0 {
				t.Errorf("no %s is opened", kind)
			}
		}
		w.rested(t)
		jar, _ := cookiejar.New(nil)
		for kind, links := range all {
			for i, link := range links {
				t.Run(fmt.Sprintf("%s %d", kind, i), func(t *testing.T) {
					before := w.dump(t)
					for _, client := range []*http.Client{{}, {Jar: jar}} {
						for _, method := range []string{"GET", "HEAD", "GET", "HEAD"} {
							resp, err := client.Do(ask(t, method, link, ""))
							testutil.Must(t, err)
							body, err := io.ReadAll(resp.Body)
							testutil.Must(t, err)
							resp.Body.Close()
							if goesOn.Match(body) {
								t.Errorf("%s %s goes on by its script", method, link)
							}
							if method == "GET" && resp.StatusCode != 200 && !strings.HasPrefix(kind, "letter") { // it asks to sign in
								t.Errorf("%s %s = %d", method, link, resp.StatusCode)
							}
						}
					}
					for table, rows := range w.dump(t) {
						if before[table] != rows {
							t.Errorf("%s changed from\n%s\nto\n%s", table, before[table], rows)
						}
					}
				})
			}
		}
		before := w.dump(t)
		link, err := url.Parse(all["connect link"][0])
		testutil.Must(t, err)
		w.enter(t, strings.Split(link.Path, "/")[2], link.Query().Get("grant"))
		if after := w.dump(t); maps.Equal(before, after) {
			t.Error("the dump does not show that a link was used")
		}
	})
}

// dump returns the rows of every table of both databases as text, but for the queue's housekeeping.
func (w *testServer) dump(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for i, db := range w.stores {
		err := db.Read(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			tables, err := tableNames(ctx, tx, db.Dialect)
			for _, table := range tables {
				from := table
				if table == "river_job" { // the job of each minute goes on
					from += " WHERE kind <> 'visits.expire'"
				}
				if err == nil && table != "job_runners" { // their heartbeats
					out[fmt.Sprintf("%d.%s", i, table)], err = dumpTable(ctx, tx, from)
				}
			}
			return err
		})
		testutil.Must(t, err)
	}
	return out
}

func dumpTable(ctx context.Context, tx *store.Tx, table string) (string, error) {
	rows, err := tx.QueryContext(ctx, "SELECT * FROM "+table)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var lines []string
	for rows.Next() {
		cells, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("%q", cells))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), rows.Err()
}

// addressMakers returns the functions of both parties that add a path to a field URL, which is the public
// address of their party.
func addressMakers(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	for _, dir := range []string{"../portal", "../provider", "../redirect", "../staff"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				ast.Inspect(f, func(n ast.Node) bool {
					if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
						if at, ok := sum.X.(*ast.SelectorExpr); ok && at.Sel.Name == "URL" {
							found[strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")+"."+f.Name.Name] = true
						}
					}
					return true
				})
			}
			return nil
		})
		testutil.Must(t, err)
	}
	return slices.Sorted(maps.Keys(found))
}

package app_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vestibule/internal/testutil"
)

// operate runs a command on the program's database and reads what it prints.
func (w *testServer) operate(t *testing.T, out any, args ...string) {
	t.Helper()
	runJSON(t, out, append(args, "--data-dir="+w.dir, "--database-url="+w.databaseURL, "--provider-url="+w.Provider)...)
}

// operatorStaff adds an operator with a password and a second factor, and returns the headers of the
// session.
func (w *testServer) operatorStaff(t *testing.T) []string {
	t.Helper()
	var made struct{ Link string }
	w.operate(t, &made, "operator", "add", "ops@service.example")
	form := []string{"Content-Type", asForm, "Origin", w.Provider}
	r := good(t, 303, ask(t, "POST", made.Link, url.Values{"password": {"an operator's password"}}.Encode(), form...))
	step := []string{"Cookie", namedCookie(t, r, "operator-second-step")}
	r = good(t, 200, ask(t, "GET", w.Provider+"/operator/sign-in/factor", "", step...))
	secret := regexp.MustCompile(`<code translate="no">([A-Z2-7]+)</code>`).FindSubmatch(r.Body)
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(string(secret[1]))
	testutil.Must(t, err)
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, time.Now().Unix()/30)
	sum := mac.Sum(nil)
	code := fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[len(sum)-1]&0xf:])&0x7fffffff%1e6)
	r = good(t, 200, ask(t, "POST", w.Provider+"/operator/sign-in/factor", "code="+code, append(form, step...)...))
	return []string{"Cookie", namedCookie(t, r, "vestibule-operator"), "Origin", w.Provider}
}

// operatorRoutes returns the routes of the operator's pages, for a customer that the test may lose.
func (w *testServer) operatorRoutes(t *testing.T) []route {
	t.Helper()
	staff := w.operatorStaff(t)
	var lost struct{ PublicID string }
	w.operate(t, &lost, "customer", "add", "Lost Bank", "--staff=ada@lost.example")
	one := "/operator/customers/" + lost.PublicID
	anyone := caller{base: w.Provider, shape: asPage}
	operator := anyone.as("staff", staff...)
	at := func(pattern, param string) route { return operator.get(pattern, param) }
	send := func(pattern, param string, pairs ...string) route {
		f := url.Values{"once": {w.onPage(t, staff, one, onceField)}}
		for i := 0; i+1 < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return operator.post(pattern, f.Encode(), param)
	}
	user := w.onPage(t, staff, one, regexp.MustCompile(`name="user" value="([^"]+)"`))
	product := w.onPage(t, staff, one+"/configurations", regexp.MustCompile(`"/operator/products/([\w-]+)"`))
	dispute := w.onPage(t, staff, "/operator/disputes", regexp.MustCompile(`"/operator/disputes/(D-[\w-]+)"`))
	report := w.onPage(t, staff, "/operator/disputes/"+dispute, regexp.MustCompile(`"/operator/reports/([\w-]+)/correct`))
	correction := []string{"dispute", dispute, "revision", "0", "gross_annual", "987654", "reason", canaryText}
	out := []route{
		at("/operator/disputes", ""), at("/operator/unlisted", ""), at("/operator/disputes/{id}", dispute),
		operator.get("/operator/disputes/{id}/files/{file}", dispute, w.onPage(t, staff, "/operator/disputes/"+dispute, fileURL)),
		at("/operator/reports/{id}/dispute", report), send("/operator/disputes/find", "", "query", canaryText),
		operator.post("/operator/reports/{id}/dispute",
			formPart("once", w.onPage(t, staff, one, onceField))+formPart("kind", "figure")+
				formPart("about", canaryText)+formPart("statement", canaryText)+"--x--\r\n", report).typed(asFileForm),
		send("/operator/disputes/{id}/facts", dispute, "facts", canaryText),
		send("/operator/disputes/{id}/answer", dispute, "result", "confirmed", "answer", canaryText),
		send("/operator/reports/{id}/correct/check", report, correction...), send("/operator/reports/{id}/correct", report, correction...),
		at("/operator", ""), at("/operator/customers/{id}", lost.PublicID),
		at("/operator/customers/{id}/configurations", lost.PublicID), at("/operator/customers/new", ""), at("/operator/health", ""),
		at("/operator/customers/{id}/prepared", lost.PublicID), at("/operator/products/{id}", product),
		send("/operator/products/{id}/rename", product, "name", canaryText, "displayName", canaryText),
		send("/operator/products/{id}/configuration", product, "configuration", ""),
		at("/operator/people", ""), at("/operator/audit", ""), at("/operator/second-factor", ""),
		send("/operator/find", "", "query", canaryText), send("/operator/people/find", "", "query", canaryEmail),
		send("/operator/audit/find", "", "query", canaryEmail),
		send("/operator/customers", "", "name", canaryText, "email", canaryEmail),
		send("/operator/people", "", "email", canaryEmail),
		send("/operator/people/{id}/role", "00000000-0000-4000-8000-000000000000", "role", ""),
		send("/operator/people/{id}/remove", "00000000-0000-4000-8000-000000000000"),
		send("/operator/people/password", "", "present", canaryText, "next", canaryText),
	}
	out = append(out, operator.post("/operator/customers/{id}/prepared", formPart("once", w.onPage(t, staff, one, onceField))+
		filePart("file", canaryText+".json", `{"product":"cashflow","profile":"joint"}`)+"--x--\r\n", lost.PublicID).typed(asFileForm))
	for form, pairs := range map[string][]string{"name": {"name", canaryText, "displayName", canaryText}, "limits": {"limit", "40"},
		"features": {"feature", "hierarchy"}, "suspend": nil, "resume": nil, "user/password": {"user", user}, "user/factor": {"user", user},
		"transfer": {"email", canaryEmail}, "products": {"name", canaryText},
		"configurations":        {"alias", canaryText, "kind", "cashflow", "inquiryType", "TENANT"},
		"configurations/retire": {"configuration", "00000000-0000-4000-8000-000000000000"},
		"prepared/remove":       {"report", "00000000-0000-4000-8000-000000000000"}} {
		out = append(out, send("/operator/customers/{id}/"+form, lost.PublicID, pairs...))
	}
	for _, page := range strings.Fields("sign-in forgotten-password set-password/x sign-in/code sign-in/factor find people/find " +
		"audit/find disputes/find") {
		out = append(out, anyone.get("/operator/"+page))
	}
	return out
}

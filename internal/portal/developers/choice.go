package developers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/prefill"
	"vestibule/internal/svcapi"
	portalui "vestibule/templates/portal"
)

// integration is a way to take an applicant through the verification.
type integration struct {
	name    string // value in addresses and forms
	where   string // page, portal or provider: whose page the applicant verifies on
	mode    applications.Mode
	variant applications.Variant // how the provider's script is initialized; "" for the kit or a redirect
	element string               // mode of the element; "" without the element
}

var integrations = []integration{
	{name: "inline", where: "page", mode: applications.Embedded, element: "inline"},
	{name: "modal", where: "page", mode: applications.Embedded, element: "modal"},
	{name: "page", where: "portal", mode: applications.Embedded, element: "redirect"},
	{name: "redirect", where: "provider", mode: applications.Redirect},
	{name: "redirect-form", where: "provider", mode: applications.RedirectForm},
	{name: "register-token", where: "page", mode: applications.Embedded, variant: applications.ByToken},
	{name: "register-prefill", where: "page", mode: applications.Embedded, variant: applications.ByPrefill},
}

func integrationOf(name string) integration {
	if i := slices.IndexFunc(integrations, func(w integration) bool { return w.name == name }); i >= 0 {
		return integrations[i]
	}
	return integrations[0]
}

// placed returns the chosen integration, or the first of the chosen place if that is another's.
func placed(q url.Values) integration {
	chosen, there := integrationOf(q.Get("integration")), func(w integration) bool { return w.where == q.Get("where") }
	if i := slices.IndexFunc(integrations, there); i >= 0 && !there(chosen) {
		return integrations[i]
	}
	return chosen
}

// usernames lists the usernames of the mock banks in the sandbox.
var usernames = []string{"default", "single", "multi", "joint", "noincome", "error", "supplier_unresponsive", "mfa",
	"debt_only", "investment_only", "no_transactions", "e_banking_unsupported", "gig", "overdraft", "benefits", "transfers",
	"transfers_savings"}

// read reads a choice from a form or a query. Unknown values become the first value.
func (h *Handler) read(q url.Values) portalui.Choice {
	pick := func(name string, all ...string) string {
		if v := q.Get(name); len(all) == 0 || slices.Contains(all, v) {
			return v
		}
		return all[0]
	}
	offered := h.products()
	products, way := make([]string, len(offered)), placed(q)
	for i, p := range offered {
		products[i] = string(p)
	}
	c := portalui.Choice{Product: contract.Product(pick("product", products...)), Where: way.where, Integration: way.name,
		PageLang: i18n.Lang(pick("page-language", "en", "es")),
		Theme:    pick("theme", "own", "light", "dark"), Person: pick("person", "ana", "luis", "none"), Username: pick("username", usernames...)}
	if way.variant != "" && c.Person == "none" { // the provider's script needs the data at the start
		c.Person = "ana"
	}
	return c
}

// person returns a test person's data for a product, or nil. Names and addresses are
// fictitious.
func (h *Handler) person(c portalui.Choice) *prefill.Fields {
	income := int64(64000)
	people := map[string]prefill.Fields{
		"ana": {FirstName: "Ana", LastName: "Pérez", Email: "ana@example.com", DOB: "1990-06-15"},
		"luis": {FirstName: "Luis", LastName: "Harmon", Email: "luis@example.com", DOB: "1984-02-29",
			Phone: "555-010-0199", Address: "12 Harbor Lane",
			City: "Columbus", State: "OH", ZIP: "43215", StatedAnnualIncome: &income, StatedEmployerName: "Tern & Sons"},
	}
	f, ok := people[c.Person]
	if !ok {
		return nil
	}
	if c.Product == contract.Eligibility {
		f.State, f.StatedEmployerName = "OH", ""
		if !h.Applicants.Service.AssetsOnly {
			f.StatedEmployerNames = []string{"Tern & Sons"}
		}
	}
	taken := prefill.Keys(c.Product)
	if !slices.Contains(taken, prefill.StatedEmployerName) {
		f.StatedEmployerName = ""
	}
	if !slices.Contains(taken, prefill.StatedAnnualIncome) {
		f.StatedAnnualIncome = nil
	}
	return &f
}

// body is the request body for the portal's API.
type body struct {
	Product       contract.Product  `json:"product"`
	Mode          applications.Mode `json:"mode"`
	AllowedOrigin string            `json:"allowedOrigin,omitempty"`
	ReturnURL     string            `json:"returnUrl,omitempty"`
	Prefill       *prefill.Fields   `json:"prefill,omitempty"`
}

// initialization is the request body for the provider when its script is used.
type initialization struct {
	ProductID string          `json:"productId"`
	Prefill   *prefill.Fields `json:"prefill"`
}

// pretty formats v as indented JSON; all lines but the first start with indent.
func pretty(v any, indent string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(indent, "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // cannot fail: only structs of this package
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// listings returns the code of a choice: the back end's request and the code of the
// page. origin is that of the reader's page.
func (h *Handler) listings(c portalui.Choice, origin string) []portalui.Listing {
	w, person := integrationOf(c.Integration), h.person(c)
	var out []portalui.Listing
	switch {
	case w.variant == "":
		b := body{Product: c.Product, Mode: w.mode, Prefill: person}
		if w.element != "" {
			b.AllowedOrigin = origin
		}
		if w.element == "" || w.element == "redirect" {
			b.ReturnURL = origin + "/done"
		}
		out = call(h.URL+"/api/v1/applications", b, false)
	case w.variant == "token":
		at := h.Profile.At(h.ProviderURL, svcapi.AddressInitialization)
		out = call(at, initialization{h.Applicants.Service.Products[c.Product], person}, true)
	}
	return append(out, h.page(c, w, person)...)
}

// response returns the status and the body of the response to the back end's request; zero
// values without a request.
func (h *Handler) response(c portalui.Choice) (status int, body string) {
	switch integrationOf(c.Integration).variant {
	case "":
		return http.StatusCreated, createdBody("…", "…", h.URL+applicant.ConnectURL("…")+"?grant=…")
	case applications.ByToken:
		return http.StatusOK, object(member{"token", "…"}, member{"exp", "…"})
	}
	return 0, ""
}

// createdBody returns the portal's response to the request that creates an application.
func createdBody(id, embedToken, connectURL string) string {
	return object(member{"id", id}, member{"embedToken", embedToken}, member{"connectUrl", connectURL})
}

// call returns a POST in four languages. Keys come from the environment.
func call(address string, v any, basic bool) []portalui.Listing {
	shell, script, program := `-H "Authorization: Bearer $VESTIBULE_PORTAL_API_KEY"`, "`Bearer ${process.env.VESTIBULE_PORTAL_API_KEY}`",
		`	req.Header.Set("Authorization", "Bearer "+os.Getenv("VESTIBULE_PORTAL_API_KEY"))`
	imported, python := "", `"Bearer " + os.environ["VESTIBULE_PORTAL_API_KEY"]`
	result, has, prints := "{ id, embedToken, connectUrl }", "ID, EmbedToken, ConnectURL string", "made.ID, made.EmbedToken, made.ConnectURL"
	printed := `made["id"], made["embedToken"], made["connectUrl"]`
	if basic {
		shell, script = `-u "$CLIENT_ID:$SECRET_KEY"`, "`Basic ${btoa(`${process.env.CLIENT_ID}:${process.env.SECRET_KEY}`)}`"
		program = `	req.SetBasicAuth(os.Getenv("CLIENT_ID"), os.Getenv("SECRET_KEY"))`
		result, has, prints, printed = "{ token }", "Token string", "made.Token", `made["token"]`
		imported = "from base64 import b64encode\n"
		python = `"Basic " + b64encode((os.environ["CLIENT_ID"] + ":" + os.environ["SECRET_KEY"]).encode()).decode()`
	}
	return []portalui.Listing{
		{ID: "curl", Title: "curl", Server: true, Code: "curl -s " + address + " \\\n  " + shell +
			" \\\n  -H 'Content-Type: application/json' \\\n  -d '" + pretty(v, "") + "'"},
		{ID: "go", Title: "Go", Server: true, Code: `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := strings.NewReader(` + "`" + pretty(v, "") + "`" + `)
	req, err := http.NewRequest("POST", "` + address + `", body)
	if err != nil {
		log.Fatal(err)
	}
` + program + `
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var made struct{ ` + has + ` }
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil {
		log.Fatal(err)
	}
	fmt.Println(` + prints + `)
}`},
		{ID: "node", Title: "Node", Server: true, Code: `const response = await fetch("` + address + `", {
  method: "POST",
  headers: {
    Authorization: ` + script + `,
    "Content-Type": "application/json",
  },
  body: JSON.stringify(` + pretty(v, "  ") + `),
});
const ` + result + ` = await response.json();`},
		{ID: "python", Title: "Python", Server: true, Code: `import json
import os
` + imported + `from urllib.request import Request, urlopen

body = r"""` + pretty(v, "") + `"""
request = Request("` + address + `", body.encode(), {
    "Authorization": ` + python + `,
    "Content-Type": "application/json",
})
with urlopen(request) as response:
    made = json.load(response)
print(` + printed + `)`},
	}
}

// page returns the code of the reader's page.
func (h *Handler) page(c portalui.Choice, w integration, person *prefill.Fields) []portalui.Listing {
	html := func(code string) portalui.Listing { return portalui.Listing{ID: "html", Title: "HTML", Code: code} }
	script := func(code string) portalui.Listing { return portalui.Listing{ID: "js", Title: "JavaScript", Code: code} }
	switch {
	case w.element != "":
		attributes := ""
		if w.element != "inline" {
			attributes = ` mode="` + w.element + `"`
		}
		inside := ""
		if w.element != "inline" {
			inside = "\n  <button>" + map[i18n.Lang]string{i18n.English: "Verify with your bank",
				i18n.Spanish: "Verificar con su banco"}[c.PageLang] + "</button>\n"
		}
		out := []portalui.Listing{
			html(`<script src="` + h.URL + `/embed/v1/embed.js" async></script>` + "\n" +
				`<vestibule-apply` + attributes + ` lang="` + string(c.PageLang) + `" token="EMBED_TOKEN">` + inside + `</vestibule-apply>`),
			script(`const element = document.querySelector("vestibule-apply");
element.addEventListener("complete", (e) => {
  // A reason for your back end to ask, and no proof.
  console.log(e.detail.application, e.detail.state);
});`)}
		if c.Theme != "own" {
			out = append(out, portalui.Listing{ID: "css", Title: "CSS", Code: "vestibule-apply {\n  color-scheme: " + c.Theme + ";\n}"})
		}
		return out
	case w.variant != "":
		with := `token: "TOKEN",`
		if w.variant == "prefill" {
			with = "prefill: " + pretty(person, "  ") + ","
		}
		return []portalui.Listing{
			html(`<div id="nova-embed"></div>` + "\n" + `<script src="` + h.Profile.At(h.ProviderURL, svcapi.AddressWidgetScript) +
				`"></script>` + "\n" + `<script src="/your-own.js"></script>`),
			script(h.Profile.WidgetGlobal + `.register({
  env: "sandbox",
  productId: "` + h.Applicants.Service.Products[c.Product] + `",
  publicId: "` + h.Applicants.PublicID + `",
  ` + with + `
  onSuccess: (publicToken, status) => { /* tell your server to ask */ },
  onExit: (publicToken) => { /* offer to go on */ },
  onError: (publicToken, errorType) => { /* say what to do */ },
});`)}
	}
	return []portalui.Listing{html(`<a href="CONNECT_URL">` + map[i18n.Lang]string{i18n.English: "Verify with your bank",
		i18n.Spanish: "Verificar con su banco"}[c.PageLang] + `</a>`)}
}

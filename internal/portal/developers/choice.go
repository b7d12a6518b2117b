package developers

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/template"

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
	people := map[string]prefill.Fields{
		"ana": {FirstName: "Ana", LastName: "Pérez", Email: "ana@example.com", DOB: "1990-06-15"},
		"luis": {FirstName: "Luis", LastName: "Harmon", Email: "luis@example.com", DOB: "1984-02-29",
			Phone: "555-010-0199", Address: "12 Harbor Lane",
			City: "Columbus", State: "OH", ZIP: "43215", StatedAnnualIncome: new(int64(64000)), StatedEmployerName: "Tern & Sons"},
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

//go:embed listings.tmpl
var listingsFile string

var listingTemplates = template.Must(template.New("").Funcs(template.FuncMap{"pretty": pretty}).Parse(listingsFile))

// code returns the code of a template of listings.tmpl.
func code(name string, v any) string {
	var b strings.Builder
	if err := listingTemplates.ExecuteTemplate(&b, name, v); err != nil {
		panic(err) // tests use each
	}
	return b.String()
}

// call returns a POST in four languages. Keys come from the environment.
func call(address string, v any, basic bool) (out []portalui.Listing) {
	for _, l := range [][2]string{{"curl", "curl"}, {"go", "Go"}, {"node", "Node"}, {"python", "Python"}} {
		out = append(out, portalui.Listing{ID: l[0], Title: l[1], Server: true, Code: code(l[0], map[string]any{
			"Address": address, "Body": v, "Basic": basic})})
	}
	return out
}

// page returns the code of the reader's page.
func (h *Handler) page(c portalui.Choice, w integration, person *prefill.Fields) []portalui.Listing {
	v := map[string]any{"Portal": h.URL, "Lang": string(c.PageLang), "Theme": c.Theme, "Mode": w.element,
		"Script": h.Profile.At(h.ProviderURL, svcapi.AddressWidgetScript), "Global": h.Profile.WidgetGlobal,
		"ProductID": h.Applicants.Service.Products[c.Product], "PublicID": h.Applicants.PublicID,
		"Prefill": w.variant == applications.ByPrefill, "Person": person}
	if w.element == "inline" {
		v["Mode"] = ""
	}
	listing := func(id, title, name string) portalui.Listing {
		return portalui.Listing{ID: id, Title: title, Code: code(name, v)}
	}
	switch {
	case w.element != "":
		out := []portalui.Listing{listing("html", "HTML", "element"), listing("js", "JavaScript", "element-script")}
		if c.Theme != "own" {
			out = append(out, listing("css", "CSS", "element-style"))
		}
		return out
	case w.variant != "":
		return []portalui.Listing{listing("html", "HTML", "register"), listing("js", "JavaScript", "register-script")}
	}
	return []portalui.Listing{listing("html", "HTML", "link")}
}

package dashboard

import (
	"errors"
	"net/http"
	"net/url"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
)

// guard rejects requests that these pages did not send: to another host (DNS rebinding), by
// script or in a frame (Fetch Metadata headers), and forms from another origin. In
// addition, the pages' policy denies framing, and sessions are SameSite=Strict.
func (s *Pages) guard(r *http.Request) error { return s.guardAs(r, "navigate", "document") }

// guardScript is guard for requests of these pages' own script. The caller also checks
// pageHeader: the hosted visit pages have the same origin.
func (s *Pages) guardScript(r *http.Request) error { return s.guardAs(r, "same-origin", "empty") }

func (s *Pages) guardAs(r *http.Request, mode, destination string) error {
	if !s.ourHost(r.Host) {
		return &httpx.Error{Code: contract.CodeForbidden, Status: http.StatusMisdirectedRequest, Why: errors.New("request to another host")}
	}
	if !httpx.IsVisible(r.URL.Path) || len(r.URL.Path) > 400 { // identifiers in paths go to queries as they are
		return httpx.NewError(contract.CodeNotFound, errors.New("no path of these pages"))
	}
	if r.Header.Get("Sec-Purpose") != "" {
		return refusal("a page that was not requested yet")
	}
	for name, want := range map[string]string{"Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": destination} {
		if got := r.Header.Values(name); len(got) > 1 || len(got) == 1 && got[0] != want {
			return refusal("sent by script or in a frame")
		}
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	site, origin := r.Header.Values("Sec-Fetch-Site"), r.Header.Values("Origin")
	switch {
	case len(site) > 1 || len(origin) > 1:
		return refusal("sent from two places")
	case len(site) == 1 && site[0] != "same-origin":
		return refusal("sent by another site's page")
	case len(origin) == 1 && origin[0] != httpx.Origin(s.public) && !(origin[0] == "null" && len(site) == 1):
		// Pages with the policy no-referrer send the origin null with their own forms.
		return refusal("sent by another origin's page")
	case len(site) == 0 && len(origin) == 0:
		return refusal("sent from nowhere")
	}
	return nil
}

func refusal(why string) error { return httpx.NewError(contract.CodeForbidden, errors.New(why)) }

// ourHost reports whether host is that of the public URL. All loopback names are
// equivalent.
func (s *Pages) ourHost(host string) bool {
	asked := &url.URL{Host: host}
	return host == s.public.Host || httpx.IsLoopback(s.public.Hostname()) &&
		httpx.IsLoopback(asked.Hostname()) && asked.Port() == s.public.Port()
}

package applicant

import (
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	pages "vestibule/templates/portal"
)

// landing handles the landing page.
func (s *Handler) landing(w http.ResponseWriter, r *http.Request) error {
	cur, err := s.Sessions.Of(r)
	if err != nil {
		return err
	}
	mine, err := s.Service.Recent(r.Context(), cur.ID, 10)
	if err != nil {
		return err
	}
	m := pages.Landing{Base: s.Base(r), Return: s.ResumeByEmail}
	for _, p := range contract.Products() {
		if s.Service.Offers(p) {
			m.Products = append(m.Products, p)
		}
	}
	for _, a := range mine {
		m.Recent = append(m.Recent, pages.RecentApplication{URL: StatusURL(a.ID), Product: a.Product,
			State: string(a.Journey.State), At: a.CreatedAt})
		waits := a.Resumable()
		if waits && m.Resume == nil {
			m.Resume = &m.Recent[len(m.Recent)-1]
		}
	}
	if m.Resume != nil {
		r := *m.Resume // copy: Recent may have reallocated the slice
		m.Resume = &r
	}
	s.probe(w, r)
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, pages.LandingPage(m))
}

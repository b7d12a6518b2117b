package applicant

import (
	"context"
	"net/http"
	"sync"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	portalui "vestibule/templates/portal"
)

// usualTimes caches how long applicants need, which changes slowly.
type usualTimes struct {
	mu    sync.Mutex
	at    time.Time
	times map[contract.Product]time.Duration
}

func (u *usualTimes) get(ctx context.Context, apps *applications.Service) (map[contract.Product]time.Duration, error) {
	const counted, kept = 90 * 24 * time.Hour, 10 * time.Minute
	u.mu.Lock()
	defer u.mu.Unlock()
	now := apps.Now()
	if u.times != nil && now.Sub(u.at) < kept {
		return u.times, nil
	}
	times, err := apps.UsualTimes(ctx, apps.DB.SQL, now.Add(-counted))
	if err != nil {
		return nil, err
	}
	u.at, u.times = now, times
	return times, nil
}

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
	m := portalui.Landing{Base: s.Base(r), Return: s.ResumeByEmail}
	if m.Usual, err = s.usual.get(r.Context(), s.Service); err != nil {
		return err
	}
	for _, p := range contract.Products() {
		if s.Service.Offers(p) {
			m.Products = append(m.Products, p)
		}
	}
	for _, a := range mine {
		m.Recent = append(m.Recent, portalui.RecentApplication{URL: StatusURL(a.ID), Product: a.Product,
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
	return httpx.HTML(w, r, http.StatusOK, portalui.LandingPage(m))
}

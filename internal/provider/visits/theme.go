package visits

import (
	"context"
	"net/http"
	"strings"

	"vestibule/internal/provider/customers"
	"vestibule/internal/store"
	"vestibule/internal/theme"
	providerui "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// logoPrefix is the path prefix of logos.
const logoPrefix = theme.Prefix + "logo/"

// lookOf returns the addresses of the assets of a visit's pages, and the name of its company.
func (s *Service) lookOf(ctx context.Context, v visit) (urls providerui.Urls, company string, err error) {
	if urls, err = s.themedUrls(ctx, v.customerID); err != nil {
		return urls, "", err
	}
	customer, err := s.Customers.ByID(ctx, s.DB.SQL, v.customerID)
	return urls, customer.ApplicantName(), err
}

// themedUrls returns the addresses of the pages' assets with the theme of an account. A
// stored color that a later version refuses is ignored.
func (s *Service) themedUrls(ctx context.Context, customerID string) (providerui.Urls, error) {
	u := s.Urls()
	t, err := s.Customers.Theme(ctx, s.DB.SQL, customerID)
	if err != nil {
		return u, err
	}
	if t.IsCustom() {
		if u.Theme, err = t.StyleSheetPath(); err != nil {
			s.Log.WarnContext(ctx, "a theme is not usable", "customer", customerID, "err", err)
			u.Theme = ""
		}
	}
	if u.Theme != "" && t.Font != theme.Fonts[0] {
		u.Font = "" // not needed at once
	}
	u.Logo = ThemeLogo(t)
	return u, nil
}

// ThemeLogo returns the logo of a theme, or nil.
func ThemeLogo(t customers.Theme) *ui.Logo {
	light, hasLight := t.Logos[theme.Light]
	dark, hasDark := t.Logos[theme.Dark]
	onlyDark := hasDark && (t.Scheme == theme.Dark || !hasLight)
	if onlyDark {
		light, hasLight, hasDark = dark, true, false
	}
	if !hasLight {
		return nil
	}
	logo := &ui.Logo{URL: logoPath(light), Width: light.Width, Height: light.Height, Wordmark: t.Wordmark, OnlyDark: onlyDark}
	if hasDark && t.Scheme != theme.Light {
		logo.Dark = logoPath(dark)
	}
	return logo
}

func logoPath(l customers.Logo) string { return logoPrefix + l.Hash + "." + l.Extension }

// styleSheet serves the style sheet that its name describes. Any name of valid settings is
// served: it contains nothing of an account.
func (s *Service) styleSheet(w http.ResponseWriter, r *http.Request) {
	css, current, ok := theme.ParseStyleSheet(r.PathValue("file"))
	if !ok {
		notServed(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	if current {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(css)) // the client has disconnected
	}
}

// logo serves a logo by the hash of its content.
func (s *Service) logo(w http.ResponseWriter, r *http.Request) error {
	hash, extension, _ := strings.Cut(r.PathValue("file"), ".")
	kind, ok := map[string]string{"svg": "image/svg+xml", "png": "image/png"}[extension]
	if !ok {
		return store.ErrNotFound
	}
	body, err := s.Customers.LogoFile(r.Context(), s.DB.SQL, hash, extension)
	if err != nil {
		return err
	}
	h := w.Header()
	// An SVG opened directly is a document: forbid everything.
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client has disconnected
	}
	return nil
}

func notServed(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "no such file", http.StatusNotFound)
}

package customers

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"vestibule/internal/store"
)

// MaxWidgetOrigins is the maximum number of origins of an account.
const MaxWidgetOrigins = 20

// ErrWidgetOrigin is returned for an invalid origin, and for too many origins.
var ErrWidgetOrigin = errors.New("customers: an origin is invalid, or there are too many")

// WidgetOrigin normalizes an origin as browsers do: scheme, host, and a port that is
// not the scheme's default. It accepts https, and http for loopback. It returns
// ErrWidgetOrigin for other schemes, a path other than "/", a wildcard, and a non-ASCII
// host.
func WidgetOrigin(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil || len(raw) > 255 || u.User != nil || u.Opaque != "" || strings.Trim(u.Path, "/") != "" || len(u.Path) > 1 ||
		strings.ContainsAny(raw, "?#") {
		return "", ErrWidgetOrigin
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	address, notAddress := netip.ParseAddr(host)
	if notAddress != nil && !isHostName(host) || strings.HasSuffix(u.Host, ":") {
		return "", ErrWidgetOrigin
	}
	local := host == "localhost" || strings.HasSuffix(host, ".localhost") || notAddress == nil && address.IsLoopback()
	if u.Scheme != "https" && !(u.Scheme == "http" && local) {
		return "", ErrWidgetOrigin
	}
	if notAddress == nil && address.Is6() {
		host = "[" + address.WithZone("").String() + "]"
	}
	if port != "" && port != map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		host += ":" + port
	}
	return u.Scheme + "://" + host, nil
}

// isHostName reports whether a host consists of labels of lowercase letters, digits,
// hyphens, and underscores.
func isHostName(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || strings.ContainsFunc(label, func(c rune) bool {
			return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_')
		}) {
			return false
		}
	}
	return true
}

// WidgetOrigins returns the origins that may embed the widget of an account: its own
// or, without any, its parent's. An empty list allows every page.
func (s *Service) WidgetOrigins(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	own, err := s.OwnWidgetOrigins(ctx, q, customerID)
	if err != nil || len(own) > 0 {
		return own, err
	}
	a, err := account(ctx, q, `id = $1`, customerID)
	if err != nil || a.ParentID == "" {
		return nil, err
	}
	return s.OwnWidgetOrigins(ctx, q, a.ParentID)
}

// AddWidgetOrigin registers an origin and reports whether it is new. An invalid origin,
// and one more than MaxWidgetOrigins, is ErrWidgetOrigin.
func (s *Service) AddWidgetOrigin(ctx context.Context, tx *store.Tx, customerID, raw string) (bool, error) {
	origin, err := WidgetOrigin(raw)
	if err != nil {
		return false, err
	}
	if err := requireRow(lockAccount(ctx, tx, customerID)); err != nil {
		return false, err
	}
	all, err := s.OwnWidgetOrigins(ctx, tx, customerID)
	switch {
	case err != nil:
		return false, err
	case slices.Contains(all, origin):
		return false, nil
	case len(all) >= MaxWidgetOrigins:
		return false, ErrWidgetOrigin
	}
	return true, insertWidgetOrigin(ctx, tx, customerID, origin)
}

package redirect

import (
	"errors"

	"vestibule/internal/httpx"
	"vestibule/internal/jose"
)

// reasons maps refusal errors to metric labels. The first match wins.
var reasons = [...]struct {
	err  error
	name string
}{
	{jose.ErrKeysUnavailable, "keys_unavailable"},
	{jose.ErrUnknownKey, "unknown_key"},
	{jose.ErrSignature, "signature"},
	{jose.ErrExpired, "expired"},
	{jose.ErrTooOld, "expired"},
	{jose.ErrNotYet, "from_the_future"},
	{errToken, "token"},
	{errMethod, "method"},
	{errPrefetch, "prefetch"},
	{errQuery, "query"},
	{errBody, "body"},
	{errAudience, "audience"},
	{errIssuer, "issuer"},
	{errOutcome, "outcome"},
	{errUnknownAttempt, "unknown_attempt"},
	{errHandle, "unknown_handle"},
	{errTooManyStashed, "too_many_outcomes"},
	{errOtherBrowser, "other_browser"},
	{errLate, "late"},
	{errTokenTwice, "used_before"},
}

// reason returns the metric label of a refusal.
func reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.name
		}
	}
	if bad := (*httpx.Error)(nil); errors.As(err, &bad) {
		return "body"
	}
	return "other"
}

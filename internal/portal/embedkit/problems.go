package embedkit

import (
	"slices"

	"vestibule/internal/i18n"
)

// Problem is an error type of the element, in addition to those of the widget.
type Problem string

const (
	ProblemToken   Problem = "EMBED_TOKEN_INVALID"
	ProblemExpired Problem = "EMBED_TOKEN_EXPIRED"
	ProblemOrigin  Problem = "ORIGIN_NOT_ALLOWED"
	ProblemBlocked Problem = "FRAME_BLOCKED"
	ProblemWidget  Problem = "WIDGET_UNAVAILABLE"
)

// ProblemInfo describes a problem.
type ProblemInfo struct {
	Type      Problem
	Engineer  string   // the cause and the fix, for developers
	Title     i18n.Key // for the applicant, if a page shows it
	Applicant i18n.Key
}

// Problems returns the problems of the element.
func Problems() []ProblemInfo {
	return []ProblemInfo{
		{ProblemToken, "The embed token is unknown, or another page or browser uses it. " +
			"Request a new token: POST /api/v1/applications/{id}/embed-token.",
			"embed.opened_elsewhere.title",
			"embed.opened_elsewhere.text"},
		{ProblemExpired, "The embed token has expired after 24 hours. Request a new token: POST /api/v1/applications/{id}/embed-token.",
			"embed.expired.title",
			"embed.expired.text"},
		{ProblemOrigin, "The page's origin differs from the token's allowedOrigin in scheme, host or port.",
			"embed.setup.title", "embed.setup.text"},
		{ProblemBlocked, "The browser did not load the frame: the page's policy lacks the portal in frame-src, " +
			"or a page of another origin contains your page.", "", ""},
		{ProblemWidget, "The provider's script did not load in the frame. The applicant can continue on the secure page.", "", ""},
	}
}

func (p Problem) info() ProblemInfo {
	all := Problems()
	return all[slices.IndexFunc(all, func(i ProblemInfo) bool { return i.Type == p })]
}

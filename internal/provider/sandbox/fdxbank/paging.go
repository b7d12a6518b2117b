package fdxbank

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// links and page lead to the next page. Version 5 gives a key in place of an offset for
// transactions.
type page struct {
	NextOffset string `json:"nextOffset,omitempty"`
	NextKey    string `json:"nextPageKey,omitempty"`
	Total      int    `json:"totalElements,omitempty"`
}

type links struct {
	Next *link `json:"next,omitempty"`
}

type link struct {
	Href string `json:"href"`
}

// window returns the range of a list that a request asks for.
func window(q url.Values, standard, most int) (offset, limit int, err error) {
	limit = standard
	if raw := q.Get("limit"); raw != "" {
		if limit, err = strconv.Atoi(raw); err != nil || limit < 1 {
			return 0, 0, errInput
		}
		limit = min(limit, most)
	}
	raw := q.Get("offset")
	if key := q.Get("pageKey"); key != "" {
		var ok bool
		if raw, ok = strings.CutPrefix(key, "after-"); !ok {
			return 0, 0, errInput
		}
	}
	if raw != "" {
		if offset, err = strconv.Atoi(raw); err != nil || offset < 0 {
			return 0, 0, errInput
		}
	}
	return offset, limit, nil
}

// next describes the page that begins at an offset.
func (s *Server) next(r *http.Request, a access, offset, total int, keyed bool) (page, links) {
	p, q := page{Total: total}, r.URL.Query()
	if a.v5 && keyed {
		p.NextKey = "after-" + strconv.Itoa(offset)
		q.Set("pageKey", p.NextKey)
	} else {
		p.NextOffset = strconv.Itoa(offset)
		q.Set("offset", p.NextOffset)
	}
	host := s.config.BaseURL
	if a.fault == FaultLink && keyed {
		host, p.NextOffset, p.NextKey = elsewhere, "", ""
	}
	return p, links{&link{host + r.URL.EscapedPath() + "?" + q.Encode()}}
}

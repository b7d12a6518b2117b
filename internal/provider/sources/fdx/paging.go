package fdx

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/provider/sources/rest"
)

// list retrieves all pages of a list. It calls mark before each page, and undo before each
// attempt to read the page. each reads one element and reports whether it is new.
func (f *fetch) list(ctx context.Context, what, path string, query url.Values, name string,
	mark func() (undo func()), each func(*json.Decoder) (bool, error)) error {
	first := f.in.BaseURL + "/" + path
	address := first
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	seen := map[string]bool{address: true}
	offset := int64(0)
	empty := 0 // pages without elements, one after another
	for range maxPages {
		var n, fresh int
		var next paging
		undo := mark()
		err := f.bank.get(ctx, f.token, rest.Request{What: what, URL: address,
			Read: func(r *http.Response) (err error) {
				undo()
				if n, fresh, next = 0, 0, (paging{}); r.StatusCode == http.StatusNoContent {
					return nil
				}
				n, next, err = readPage(r.Body, name, func(d *json.Decoder) error {
					ok, err := each(d)
					if ok {
						fresh++
					}
					return err
				})
				next.link = cmp.Or(next.link, linkHeader(r.Header))
				return err
			}})
		if err != nil {
			return err
		}
		address, err = f.next(first, address, query, next, &offset)
		if empty++; n > 0 {
			empty = 0
		}
		switch {
		case err != nil:
			return err
		case address == "" || n == 0 && (seen[address] || empty == maxEmptyPages):
			return nil
		case seen[address] || n > 0 && fresh == 0:
			return f.rejected(what + ": a page is repeated")
		}
		seen[address] = true
	}
	return f.rejected(fmt.Sprintf("%s: there are more than %d pages", what, maxPages))
}

// maxEmptyPages is how many pages without elements are read one after another. Some
// institutions send them between others, and some after the last one without end.
const maxEmptyPages = 3

// next returns the address of the next page, the current one again for an offset that does
// not advance, or "" after the last page.
func (f *fetch) next(first, current string, query url.Values, next paging, offset *int64) (string, error) {
	parameter, value := "offset", next.offset
	switch {
	case value != "":
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			if n <= *offset {
				return current, nil
			}
			*offset = n
		}
	case next.link != "":
		return f.follow(string(next.link), current)
	case next.key != "":
		parameter, value = "pageKey", next.key
	default:
		return "", nil
	}
	if len(value) > 4096 {
		return "", f.rejected("the offset of the next page is too long")
	}
	q := url.Values{parameter: {string(value)}}
	for name, values := range query {
		q[name] = values
	}
	return first + "?" + q.Encode(), nil
}

// follow returns the address that a link on a page leads to. Some links are relative to the
// base URL of the API, and some of servers behind a proxy have the scheme http.
func (f *fetch) follow(link, current string) (string, error) {
	at, err := url.Parse(current)
	if err != nil {
		return "", err
	}
	base, err := url.Parse(f.in.BaseURL)
	if err != nil {
		return "", err
	}
	root := base.EscapedPath()
	if below := strings.TrimPrefix(link, "/"); (below == "accounts" || strings.HasPrefix(below, "accounts/") ||
		strings.HasPrefix(below, "accounts?")) && (root == "" || !strings.HasPrefix(link, root+"/")) {
		link = root + "/" + below
	}
	to, err := at.Parse(link)
	if err != nil {
		return "", f.rejected("the link to the next page is not a URL")
	}
	if to.Scheme == "http" && at.Scheme == "https" && strings.EqualFold(to.Host, at.Host) {
		to.Scheme = "https"
	}
	if !f.hosts[rest.HostOf(to)] || f.in.checkURL(to.String()) != nil {
		return "", f.rejected("the link to the next page leads to a host that is not configured: add the host to hosts")
	}
	return to.String(), nil
}

// linkHeader returns the next page of a Link header (RFC 8288).
func linkHeader(h http.Header) text {
	for _, line := range h.Values("Link") {
		for part := range strings.SplitSeq(line, ",") {
			target, parameters, ok := strings.Cut(strings.TrimSpace(part), ">")
			if !ok || !strings.HasPrefix(target, "<") {
				continue
			}
			for p := range strings.SplitSeq(parameters, ";") {
				name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
				if strings.EqualFold(name, "rel") && slices.Contains(strings.Fields(strings.Trim(value, `"`)), "next") {
					return text(target[1:])
				}
			}
		}
	}
	return ""
}

package report

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"vestibule/internal/contract"
)

// SharedSources returns the sources of a report that have data about the consumer, in the
// report's order, without what was typed. It reads reports of all products.
func SharedSources(raw []byte) ([]Source, error) {
	type account struct {
		SourceID string `json:"source_id"`
	}
	var r struct {
		Sources   []Source  `json:"sources"`
		Accounts  []account `json:"account_details"`
		Employers []struct {
			Sources []Source `json:"verification_sources"`
		} `json:"stated_employers"`
		Assets struct {
			Accounts []account `json:"account_details"`
		} `json:"assets"`
	}
	if json.Unmarshal(raw, &r) != nil { // its error may quote the report
		return nil, errors.New("report: the sources have another form")
	}
	all := r.Sources
	for _, e := range r.Employers {
		all = append(all, e.Sources...)
	}
	for _, a := range r.Assets.Accounts {
		all = append(all, Source{SourceID: a.SourceID, SourceType: SourceBankTransaction, Status: contract.StatusSuccess})
	}
	var out []Source
	for _, s := range all {
		// A bank that left out some of its accounts has another status.
		shared := s.Status == contract.StatusSuccess || slices.Contains(r.Accounts, account{s.SourceID})
		known := slices.ContainsFunc(out, func(o Source) bool { return o.SourceID == s.SourceID })
		if shared && !known && s.SourceType != SourceManual && s.SourceType != SourceFraud {
			out = append(out, s)
		}
	}
	return out, nil
}

// SourceName returns a source's id in words, as in "Northwind Logistics" for
// NORTHWIND_LOGISTICS, and a supplier's name. It leaves ids of another form as they are.
func SourceName(id string) string {
	if s, ok := SupplierOf(id); ok {
		return s.Name
	}
	if id == "" || id != strings.ToUpper(id) {
		return id
	}
	words := strings.Split(id, "_")
	for i, w := range words {
		if len(w) > 3 || i > 0 && len(w) > 1 && strings.ContainsAny(w, "AEIOU") {
			words[i] = w[:1] + strings.ToLower(w[1:])
		}
	}
	return strings.Join(words, " ")
}

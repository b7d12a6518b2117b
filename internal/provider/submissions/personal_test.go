package submissions

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
)

func TestSubstatus(t *testing.T) {
	const missing = contract.Substatus(contract.WidgetPIIMissing)
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		edit func(p *Personal)
		want contract.Substatus
	}{
		"everything":              {func(*Personal) {}, ""},
		"address without dob":     {func(p *Personal) { p.DOB = nil }, ""},
		"dob without address":     {func(p *Personal) { p.Street, p.City, p.State, p.PostalCode = nil, nil, nil, nil }, ""},
		"dob and half an address": {func(p *Personal) { p.City, p.State = nil, nil }, ""},
		"half an address":         {func(p *Personal) { p.DOB, p.State = nil, nil }, missing},
		"neither":                 {func(p *Personal) { *p = Personal{FirstName: p.FirstName, LastName: p.LastName, Email: p.Email} }, missing},
		"unknown":                 {func(p *Personal) { *p = Personal{} }, missing},
		"no first name":           {func(p *Personal) { p.FirstName = nil }, missing},
		"no last name":            {func(p *Personal) { p.LastName = nil }, missing},
		"no email":                {func(p *Personal) { p.Email = nil }, missing},
		"missing before invalid":  {func(p *Personal) { p.FirstName, p.Email = text("7"), nil }, missing},
		"first name of 50":        {func(p *Personal) { p.FirstName = text(strings.Repeat("é", 50)) }, ""},
		"first name of 51":        {func(p *Personal) { p.FirstName = text(strings.Repeat("é", 51)) }, "INVALID_PREFILL_FIRST_NAME"},
		"first name with a digit": {func(p *Personal) { p.FirstName = text("Ana2") }, "INVALID_PREFILL_FIRST_NAME"},
		"first name empty":        {func(p *Personal) { p.FirstName = text("") }, "INVALID_PREFILL_FIRST_NAME"},
		"apostrophe, dash, dot":   {func(p *Personal) { p.LastName = text("O’Neil-St. D'Arc") }, ""},
		"last name of markup":     {func(p *Personal) { p.LastName = text("<b>") }, "INVALID_PREFILL_LAST_NAME"},
		"dob today":               {func(p *Personal) { p.DOB = text("2026-11-21") }, "INVALID_PREFILL_DOB"},
		"dob yesterday":           {func(p *Personal) { p.DOB = text("2026-11-20") }, ""},
		"impossible dob":          {func(p *Personal) { p.DOB = text("1990-02-30") }, "INVALID_PREFILL_DOB"},
		"dob with a time":         {func(p *Personal) { p.DOB = text("1990-02-03T00:00:00Z") }, "INVALID_PREFILL_DOB"},
		"invalid dob, address":    {func(p *Personal) { p.DOB = text("x") }, "INVALID_PREFILL_DOB"},
		"email without a host":    {func(p *Personal) { p.Email = text("ana@") }, "INVALID_PREFILL_EMAIL"},
		"email of 101": {func(p *Personal) {
			p.Email = text(strings.Repeat("a", 60) + "@" +
				strings.Repeat("b", 36) + ".com")
		}, "INVALID_PREFILL_EMAIL"},
		"no phone":             {func(p *Personal) { p.Phone = nil }, ""},
		"phone without dashes": {func(p *Personal) { p.Phone = text("5550100123") }, "INVALID_PREFILL_PHONE"},
		"phone with letters":   {func(p *Personal) { p.Phone = text("555-01A-0123") }, "INVALID_PREFILL_PHONE"},
		"street of 100":        {func(p *Personal) { p.Street = text(strings.Repeat("s", 100)) }, ""},
		"street of 101":        {func(p *Personal) { p.Street = text(strings.Repeat("s", 101)) }, "INVALID_PREFILL_ADDRESS"},
		"street empty":         {func(p *Personal) { p.Street = text("") }, "INVALID_PREFILL_ADDRESS"},
		"city with a digit":    {func(p *Personal) { p.City = text("Area 51") }, "INVALID_PREFILL_CITY"},
		"city of 101":          {func(p *Personal) { p.City = text(strings.Repeat("c", 101)) }, "INVALID_PREFILL_CITY"},
		"the district":         {func(p *Personal) { p.State = text("DC") }, ""},
		"a territory":          {func(p *Personal) { p.State = text("PR") }, "INVALID_PREFILL_STATE"},
		"state in lower case":  {func(p *Personal) { p.State = text("ca") }, "INVALID_PREFILL_STATE"},
		"zip of 4":             {func(p *Personal) { p.PostalCode = text("9210") }, "INVALID_PREFILL_ZIP"},
		"zip of 10 digits":     {func(p *Personal) { p.PostalCode = text("9210112345") }, ""},
		"zip of 11":            {func(p *Personal) { p.PostalCode = text("92101123456") }, "INVALID_PREFILL_ZIP"},
		"zip and four":         {func(p *Personal) { p.PostalCode = text("92101-1234") }, ""},
		"zip of letters":       {func(p *Personal) { p.PostalCode = text("ABCDE") }, "INVALID_PREFILL_ZIP"},
		"zip of four dashes":   {func(p *Personal) { p.PostalCode = text("-----") }, "INVALID_PREFILL_ZIP"},
	} {
		p := Personal{text("Ana"), text("Pérez"), text("1990-06-15"), text("ana@example.com"), text("555-010-0123"),
			text("12 Main Street"), text("San Diego"), text("CA"), text("92101")}
		c.edit(&p)
		if got := p.Substatus(now, false); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	p := Personal{FirstName: text("Default"), LastName: text("Any"), Email: text("a@example.com"),
		Street: text("?"), City: text("51"), State: text("nowhere"), PostalCode: text("-")}
	if got := p.Substatus(now, true); got != "" {
		t.Errorf("any address with anyAddress: %q, want none", got)
	}
}

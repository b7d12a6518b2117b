package sources

import (
	"cmp"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Catalogue lists the institutions that applicants of an environment can choose. The zero
// value has none, as in production until the operator configures connectors.
type Catalogue struct {
	connectors []Connector
	lists      map[Kind][]Institution
}

// NewCatalogue returns the catalogue of connectors. The first connector that has an
// institution is used.
func NewCatalogue(connectors ...Connector) Catalogue {
	c := Catalogue{connectors, map[Kind][]Institution{}}
	offered := map[string]bool{}
	for _, of := range connectors {
		_, authorizes := of.(Authorizer)
		for _, i := range of.Institutions() {
			if offered[i.ID] {
				continue
			}
			offered[i.ID] = true
			i.Kind = cmp.Or(i.Kind, Bank)
			i.OwnPages = authorizes && i.Kind != Supplier
			c.lists[i.Kind] = append(c.lists[i.Kind], i)
		}
	}
	for _, list := range c.lists {
		slices.SortFunc(list, func(a, b Institution) int {
			return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
		})
	}
	return c
}

// rank orders institutions: large ones first, and the reader of identity documents after
// the suppliers.
func (i Institution) rank() int {
	switch {
	case i.ID == report.DocumentSupplier:
		return 2
	case i.Large:
		return 0
	}
	return 1
}

// List returns the institutions of a kind in the order shown to applicants. The caller
// must not modify it.
func (c Catalogue) List(kind Kind) []Institution { return c.lists[kind] }

// Find returns the institution of a kind with an id.
func (c Catalogue) Find(kind Kind, id string) (Institution, bool) {
	list := c.lists[kind]
	if i := slices.IndexFunc(list, func(i Institution) bool { return i.ID == id }); i >= 0 {
		return list[i], true
	}
	return Institution{}, false
}

// find returns an institution and its connector, which is a C.
func find[C Connector](c Catalogue, id string) (in Institution, of C, ok bool) {
	for _, connector := range c.connectors {
		of, ok := connector.(C)
		if !ok {
			continue
		}
		list := of.Institutions()
		if i := slices.IndexFunc(list, func(i Institution) bool { return i.ID == id }); i >= 0 {
			return list[i], of, true
		}
	}
	return in, of, false
}

// Find returns an institution at which applicants authorize access, and its connector.
func (s *Service) Find(env contract.Environment, id string) (Institution, Authorizer, bool) {
	return find[Authorizer](s.Catalogue(env), id)
}

// Form returns the connector of an institution with a form, or a failure.
func (s *Service) Form(env contract.Environment, id string) (Form, error) {
	_, form, ok := find[Form](s.Catalogue(env), id)
	if !ok {
		return nil, Fail(Unsupported, errNotConfigured)
	}
	return form, nil
}

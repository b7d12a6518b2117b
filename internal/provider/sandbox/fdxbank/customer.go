package fdxbank

import (
	"net/http"

	"vestibule/internal/analysis/bankdata"
)

type name struct {
	First string `json:"first"`
	Last  string `json:"last"`
}

type address struct {
	Line1      string `json:"line1"`
	City       string `json:"city"`
	State      string `json:"state,omitempty"`  // version 5
	Region     string `json:"region,omitempty"` // version 6
	PostalCode string `json:"postalCode"`
	Country    string `json:"country"`
	Type       string `json:"type"`
}

type telephone struct {
	Type    string `json:"type"`
	Country string `json:"country"`
	Number  string `json:"number"`
}

func nameOf(p bankdata.Person) name { return name{p.FirstName, p.LastName} }

func (a access) addresses(of []bankdata.Address) (out []address) {
	for i, at := range of {
		kind := "HOME"
		if i > 0 {
			kind = "MAILING"
		}
		l := address{Line1: at.Street, City: at.City, Region: at.State, PostalCode: at.ZIP, Country: "US", Type: kind}
		if a.v5 {
			l.State, l.Region = at.State, ""
		}
		out = append(out, l)
	}
	return out
}

// customer is the resource /customers/current.
func (s *Server) customer(_ http.ResponseWriter, _ *http.Request, a access) (any, error) {
	of := a.data.Connections[0]
	owner := of.Owners[0].Person
	return struct {
		CustomerID string    `json:"customerId"`
		Name       name      `json:"name"`
		Emails     []string  `json:"email"`
		Addresses  []address `json:"addresses"`
	}{subject(a.token.consent), nameOf(owner), owner.Emails, a.addresses(of.Accounts[0].Addresses)}, nil
}

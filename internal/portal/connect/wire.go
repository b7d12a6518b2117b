package connect

import (
	"encoding/json"

	"vestibule/internal/prefill"
	"vestibule/internal/svcapi"
)

// wire converts the applicant's data to the API's form.
func wire(f prefill.Fields) *svcapi.Prefill {
	return &svcapi.Prefill{FirstName: f.FirstName, LastName: f.LastName, Email: f.Email, DOB: f.DOB, Phone: f.Phone,
		Address: f.Address, City: f.City, State: f.State, ZIP: f.ZIP, StatedAnnualIncome: f.StatedAnnualIncome,
		StatedEmployerName: f.StatedEmployerName, StatedEmployerNames: f.StatedEmployerNames}
}

// clientPrefill returns the script's register option `prefill` as JSON.
func clientPrefill(f prefill.Fields) (string, error) {
	raw, err := json.Marshal(f)
	return string(raw), err
}

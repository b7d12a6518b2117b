package connect

import (
	"encoding/json"

	"vestibule/internal/contract"
	"vestibule/internal/prefill"
	"vestibule/internal/svcapi"
)

var (
	wordsAway = contract.Words{EN: "The verification service does not answer", ES: "El servicio de verificación no responde"}

	wordsAwayText = contract.Words{
		EN: "Your details are saved and nothing is lost. Wait a moment and try again.",
		ES: "Sus datos están guardados y no se pierde nada. Espere un momento e inténtelo de nuevo."}
	wordsRefused = contract.Words{EN: "The verification service did not take this", ES: "El servicio de verificación no lo aceptó"}
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

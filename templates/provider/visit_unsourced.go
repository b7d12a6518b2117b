package provider

import "vestibule/internal/contract"

// Unsourced says which kinds of source the visit's environment has none of.
type Unsourced struct{ Banks, Payroll, Suppliers bool }

// lacking names the kinds of source that this visit would use and that are not there;
// empty for none. rest reports whether something else is left to connect or upload.
func (v Visit) lacking() (words contract.Words, rest bool) {
	banks, payroll := v.Unsourced.Banks && !v.IncomeOnly, v.Unsourced.Payroll && (v.Verifies || v.Product == contract.Income)
	switch {
	case v.Product == contract.Passport && v.Unsourced.Suppliers:
		return contract.Words{EN: "no credit bureau can be asked", ES: "no se puede consultar ninguna agencia de crédito"}, false
	case v.Product == contract.Passport:
		return contract.Words{}, true
	case banks && payroll:
		return contract.Words{EN: "no bank and no payroll provider can be connected", ES: "no se puede conectar ningún banco ni proveedor de nómina"}, true
	case banks:
		return contract.Words{EN: "no bank can be connected", ES: "no se puede conectar ningún banco"}, v.Verifies || v.Product == contract.Income
	case payroll:
		return contract.Words{EN: "no payroll provider can be connected", ES: "no se puede conectar ningún proveedor de nómina"}, true
	}
	return contract.Words{}, true
}

// unsourcedWords are what the present step says of it; empty for nothing.
func (v Visit) unsourcedWords() string {
	lacking, rest := v.lacking()
	if lacking == (contract.Words{}) {
		return ""
	}
	words := v.say(v.Customer+"’s verification service has none for this, so "+lacking.EN+".",
		"El servicio de verificación de "+v.Customer+" no tiene ninguna para esto, así que "+lacking.ES+".")
	switch {
	case v.Step == Consent && !rest:
		return words + v.say(" If you continue, this verification ends and "+v.Customer+" learns why. Nothing is shared.",
			" Si continúa, esta verificación termina y "+v.Customer+" sabrá por qué. No se comparte nada.")
	case v.Verifies && (v.Step == Consent || v.Step == Stated):
		return words + v.say(" You can upload pay stubs or other documents, or skip an employer and say why. Without any file, no report can be made.",
			" Puede subir talones de pago u otros documentos, u omitir una empresa y decir por qué. Sin ningún archivo no se puede preparar un informe.")
	case v.Step == Consent, v.Step == Documents && v.Employer == "" && v.Back == "", v.Step == Source && v.Employer == "":
		return words + v.say(" You can upload pay stubs instead.", " En su lugar puede subir talones de pago.")
	}
	return ""
}

// unconfiguredWords are those of endWords for a visit that ended for want of any
// source.
func (v Visit) unconfiguredWords() string {
	lacking, _ := v.lacking()
	return v.say("No data source is configured with "+v.Customer+"’s verification service, so "+lacking.EN+". Nothing was shared. "+v.Customer+" will tell you what to do next.",
		"El servicio de verificación de "+v.Customer+" no tiene ninguna fuente de datos configurada, así que "+lacking.ES+". No se compartió nada. "+v.Customer+" le dirá qué hacer ahora.")
}

package review

import "vestibule/internal/contract"

var (
	reportEligibilityTitle    = contract.Words{EN: "Eligibility report", ES: "Informe de elegibilidad"}
	eligibilityEmployers      = contract.Words{EN: "Stated employers", ES: "Empleadores indicados"}
	eligibilityEmployersOf    = contract.Words{EN: "Every employer that was stated, and what became of it", ES: "Cada empleador indicado y lo que resultó"}
	eligibilityEmployersShort = contract.Words{EN: "Employers verified", ES: "Empleadores verificados"}
	eligibilityEmployersAre   = contract.Words{EN: "Of those that the applicant stated.", ES: "De los que indicó el solicitante."}
	eligibilityEmployment     = contract.Words{EN: "Employment and direct deposits", ES: "Empleo y depósitos directos"}
	eligibilityAssets         = contract.Words{EN: "Assets", ES: "Activos"}
	eligibilityFailed         = contract.Words{EN: "Failed connections", ES: "Conexiones fallidas"}
	eligibilityFailedOf       = contract.Words{EN: "Banks that were to be connected and gave nothing", ES: "Bancos que debían conectarse y no dieron nada"}
	eligibilityChecks         = contract.Words{EN: "Is the application complete?", ES: "¿Está completa la solicitud?"}
	eligibilityChecksOf       = contract.Words{EN: "What a complete application has", ES: "Lo que tiene una solicitud completa"}
	eligibilityDocuments      = contract.Words{EN: "Documents", ES: "Documentos"}
	eligibilityDocumentsOf    = contract.Words{EN: "Files behind the numbers", ES: "Archivos detrás de las cifras"}
	eligibilityAvailable      = contract.Words{EN: "Available since", ES: "Disponible desde"}
	askAssets                 = contract.Words{EN: "The assets", ES: "Los activos"}
	wordsOf                   = contract.Words{EN: "of", ES: "de"}

	eligibilityVerified  = contract.Words{EN: "verified", ES: "verificado"}
	eligibilityElsewhere = contract.Words{EN: "its sources name others", ES: "sus fuentes nombran otros"}
	eligibilityTried     = contract.Words{EN: "tried without success", ES: "intentado sin éxito"}
	eligibilitySkipped   = contract.Words{EN: "skipped", ES: "omitido"}
	eligibilityOpen      = contract.Words{EN: "open", ES: "pendiente"}
	eligibilityBy        = contract.Words{EN: "By", ES: "Mediante"}
	eligibilityNamedBy   = contract.Words{EN: "Stated by", ES: "Indicado por"}

	eligibilityByPayroll   = contract.Words{EN: "By payroll, all employers together.", ES: "Según la nómina, todos los empleadores juntos."}
	eligibilityDeposited   = contract.Words{EN: "Deposited in a year", ES: "Depositado en un año"}
	eligibilityDepositedIs = contract.Words{EN: "Recurring income at the bank.", ES: "Ingresos periódicos en el banco."}
	eligibilityHeld        = contract.Words{EN: "Held today", ES: "Saldo hoy"}
	eligibilityHeldIs      = contract.Words{EN: "All accounts together.", ES: "Todas las cuentas juntas."}
	eligibilityAverage     = contract.Words{EN: "Average of 6 months", ES: "Media de 6 meses"}
	eligibilityAverageIs   = contract.Words{EN: "Of the same accounts; of fewer months where there are no more.", ES: "De las mismas cuentas; de menos meses donde no hay más."}
	eligibilityInterest    = contract.Words{EN: "Interest of 12 months", ES: "Intereses de 12 meses"}
	eligibilityFirst       = contract.Words{EN: "First transaction", ES: "Primera transacción"}

	eligibilityTime     = contract.Words{EN: "From – to", ES: "Desde – hasta"}
	eligibilityPay      = contract.Words{EN: "Base pay", ES: "Paga base"}
	eligibilityStatedAs = contract.Words{EN: "Stated as", ES: "Indicado como"}
	eligibilityNotNamed = contract.Words{EN: "not among those stated", ES: "no está entre los indicados"}
	eligibilityDeposits = contract.Words{EN: "Accounts that this employer pays into", ES: "Cuentas en las que paga este empleador"}
	eligibilityInReport = contract.Words{EN: "In this report", ES: "En este informe"}
	eligibilityIsThere  = contract.Words{EN: "connected", ES: "conectada"}
	eligibilityIsNot    = contract.Words{EN: "not connected", ES: "no conectada"}
	eligibilityCalendar = contract.Words{EN: "By calendar year", ES: "Por año natural"}
	eligibilityYear     = contract.Words{EN: "Year", ES: "Año"}
	eligibilityHours    = contract.Words{EN: "Hours", ES: "Horas"}

	gigsBy        = contract.Words{EN: "Gigs", ES: "Encargos"}
	gigsPlatform  = contract.Words{EN: "Platform", ES: "Plataforma"}
	gigsTips      = contract.Words{EN: "Tips", ES: "Propinas"}
	gigsFees      = contract.Words{EN: "Fees", ES: "Comisiones"}
	gigsDeposited = contract.Words{EN: "Deposited", ES: "Depositado"}
	gigsGross     = contract.Words{EN: "Gigs, gross of a year", ES: "Encargos, bruto anual"}
	gigsNet       = contract.Words{EN: "Gigs, net of a year", ES: "Encargos, neto anual"}
)

var inputWords = map[string]contract.Words{
	"CONSUMER_INPUT": {EN: "the applicant", ES: "el solicitante"}, "CUSTOMER_INPUT": {EN: "the customer", ES: "la empresa"}}

var payPeriodWords = map[string]contract.Words{
	"SALARY": {EN: "a year", ES: "al año"}, "HOURLY": {EN: "an hour", ES: "por hora"}, "MONTHLY": {EN: "a month", ES: "al mes"}}

var providerWords = map[string]contract.Words{
	"EMPLOYER": {EN: "the employer", ES: "el empleador"}, "PAYROLL_COMPANY": {EN: "a payroll company", ES: "una empresa de nómina"},
	"GIG_PLATFORM": {EN: "a platform", ES: "una plataforma"}}

// skippedWords are the values of skipped_reason.
var skippedWords = map[string]contract.Words{
	"NO_LONGER_EMPLOYED":      {EN: "no longer employed there", ES: "ya no trabaja allí"},
	"PROVIDER_NOT_FOUND":      {EN: "provider not found", ES: "no se encontró el proveedor"},
	"CREDENTIALS_UNAVAILABLE": {EN: "no credentials at hand", ES: "sin credenciales a mano"},
	"DOCUMENTS_UNAVAILABLE":   {EN: "no documents at hand", ES: "sin documentos a mano"},
	"OTHER":                   {EN: "another reason", ES: "otro motivo"},
}

// completenessWords are the names of application_completeness_checks.
var completenessWords = map[string]contract.Words{
	"EMPLOYERS_VERIFIED_OR_SKIPPED":     {EN: "Every stated employer was verified or skipped", ES: "Cada empleador indicado se verificó u omitió"},
	"ASSET_ACCOUNT_CONNECTED":           {EN: "An account was connected", ES: "Se conectó una cuenta"},
	"DIRECT_DEPOSIT_ACCOUNTS_CONNECTED": {EN: "Every account that an employer pays into was connected", ES: "Se conectó cada cuenta en la que paga un empleador"},
	"SIX_MONTHS_HISTORY_AVAILABLE":      {EN: "The accounts have six months of history", ES: "Las cuentas tienen seis meses de historial"},
	"NO_FAILED_CONNECTIONS":             {EN: "No connection failed", ES: "Ninguna conexión falló"},
	"DOCUMENTS_READABLE":                {EN: "Every uploaded document could be read", ES: "Todo documento subido pudo leerse"},
}

package review

import "vestibule/internal/svc"

var (
	reportEligibilityTitle    = svc.Words{EN: "Eligibility report", ES: "Informe de elegibilidad"}
	eligibilityEmployers      = svc.Words{EN: "Stated employers", ES: "Empleadores indicados"}
	eligibilityEmployersOf    = svc.Words{EN: "Every employer that was stated, and what became of it", ES: "Cada empleador indicado y lo que resultó"}
	eligibilityEmployersShort = svc.Words{EN: "Employers verified", ES: "Empleadores verificados"}
	eligibilityEmployersAre   = svc.Words{EN: "Of those that the applicant stated.", ES: "De los que indicó el solicitante."}
	eligibilityEmployment     = svc.Words{EN: "Employment and direct deposits", ES: "Empleo y depósitos directos"}
	eligibilityAssets         = svc.Words{EN: "Assets", ES: "Activos"}
	eligibilityFailed         = svc.Words{EN: "Failed connections", ES: "Conexiones fallidas"}
	eligibilityFailedOf       = svc.Words{EN: "Banks that were to be connected and gave nothing", ES: "Bancos que debían conectarse y no dieron nada"}
	eligibilityChecks         = svc.Words{EN: "Is the application complete?", ES: "¿Está completa la solicitud?"}
	eligibilityChecksOf       = svc.Words{EN: "What a complete application has", ES: "Lo que tiene una solicitud completa"}
	eligibilityDocuments      = svc.Words{EN: "Documents", ES: "Documentos"}
	eligibilityDocumentsOf    = svc.Words{EN: "Files behind the numbers", ES: "Archivos detrás de las cifras"}
	eligibilityAvailable      = svc.Words{EN: "Available since", ES: "Disponible desde"}
	askAssets                 = svc.Words{EN: "The assets", ES: "Los activos"}
	wordsOf                   = svc.Words{EN: "of", ES: "de"}

	eligibilityVerified  = svc.Words{EN: "verified", ES: "verificado"}
	eligibilityElsewhere = svc.Words{EN: "its sources name others", ES: "sus fuentes nombran otros"}
	eligibilityTried     = svc.Words{EN: "tried without success", ES: "intentado sin éxito"}
	eligibilitySkipped   = svc.Words{EN: "skipped", ES: "omitido"}
	eligibilityOpen      = svc.Words{EN: "open", ES: "pendiente"}
	eligibilityBy        = svc.Words{EN: "By", ES: "Mediante"}
	eligibilityNamedBy   = svc.Words{EN: "Stated by", ES: "Indicado por"}

	eligibilityByPayroll   = svc.Words{EN: "By payroll, all employers together.", ES: "Según la nómina, todos los empleadores juntos."}
	eligibilityDeposited   = svc.Words{EN: "Deposited in a year", ES: "Depositado en un año"}
	eligibilityDepositedIs = svc.Words{EN: "Recurring income at the bank.", ES: "Ingresos periódicos en el banco."}
	eligibilityHeld        = svc.Words{EN: "Held today", ES: "Saldo hoy"}
	eligibilityHeldIs      = svc.Words{EN: "All accounts together.", ES: "Todas las cuentas juntas."}
	eligibilityAverage     = svc.Words{EN: "Average of 6 months", ES: "Media de 6 meses"}
	eligibilityAverageIs   = svc.Words{EN: "Of the same accounts; of fewer months where there are no more.", ES: "De las mismas cuentas; de menos meses donde no hay más."}
	eligibilityInterest    = svc.Words{EN: "Interest of 12 months", ES: "Intereses de 12 meses"}
	eligibilityFirst       = svc.Words{EN: "First transaction", ES: "Primera transacción"}

	eligibilityTime     = svc.Words{EN: "From – to", ES: "Desde – hasta"}
	eligibilityPay      = svc.Words{EN: "Base pay", ES: "Paga base"}
	eligibilityStatedAs = svc.Words{EN: "Stated as", ES: "Indicado como"}
	eligibilityNotNamed = svc.Words{EN: "not among those stated", ES: "no está entre los indicados"}
	eligibilityDeposits = svc.Words{EN: "Accounts that this employer pays into", ES: "Cuentas en las que paga este empleador"}
	eligibilityInReport = svc.Words{EN: "In this report", ES: "En este informe"}
	eligibilityIsThere  = svc.Words{EN: "connected", ES: "conectada"}
	eligibilityIsNot    = svc.Words{EN: "not connected", ES: "no conectada"}
	eligibilityCalendar = svc.Words{EN: "By calendar year", ES: "Por año natural"}
	eligibilityYear     = svc.Words{EN: "Year", ES: "Año"}
	eligibilityHours    = svc.Words{EN: "Hours", ES: "Horas"}

	gigsBy        = svc.Words{EN: "Gigs", ES: "Encargos"}
	gigsPlatform  = svc.Words{EN: "Platform", ES: "Plataforma"}
	gigsTips      = svc.Words{EN: "Tips", ES: "Propinas"}
	gigsFees      = svc.Words{EN: "Fees", ES: "Comisiones"}
	gigsDeposited = svc.Words{EN: "Deposited", ES: "Depositado"}
	gigsGross     = svc.Words{EN: "Gigs, gross of a year", ES: "Encargos, bruto anual"}
	gigsNet       = svc.Words{EN: "Gigs, net of a year", ES: "Encargos, neto anual"}
)

var inputWords = map[string]svc.Words{
	"CONSUMER_INPUT": {EN: "the applicant", ES: "el solicitante"}, "CUSTOMER_INPUT": {EN: "the customer", ES: "la empresa"}}

var payPeriodWords = map[string]svc.Words{
	"SALARY": {EN: "a year", ES: "al año"}, "HOURLY": {EN: "an hour", ES: "por hora"}, "MONTHLY": {EN: "a month", ES: "al mes"}}

var providerWords = map[string]svc.Words{
	"EMPLOYER": {EN: "the employer", ES: "el empleador"}, "PAYROLL_COMPANY": {EN: "a payroll company", ES: "una empresa de nómina"},
	"GIG_PLATFORM": {EN: "a platform", ES: "una plataforma"}}

// skippedWords are the values of skipped_reason.
var skippedWords = map[string]svc.Words{
	"NO_LONGER_EMPLOYED":      {EN: "no longer employed there", ES: "ya no trabaja allí"},
	"PROVIDER_NOT_FOUND":      {EN: "provider not found", ES: "no se encontró el proveedor"},
	"CREDENTIALS_UNAVAILABLE": {EN: "no credentials at hand", ES: "sin credenciales a mano"},
	"DOCUMENTS_UNAVAILABLE":   {EN: "no documents at hand", ES: "sin documentos a mano"},
	"OTHER":                   {EN: "another reason", ES: "otro motivo"},
}

// completenessWords are the names of application_completeness_checks.
var completenessWords = map[string]svc.Words{
	"EMPLOYERS_VERIFIED_OR_SKIPPED":     {EN: "Every stated employer was verified or skipped", ES: "Cada empleador indicado se verificó u omitió"},
	"ASSET_ACCOUNT_CONNECTED":           {EN: "An account was connected", ES: "Se conectó una cuenta"},
	"DIRECT_DEPOSIT_ACCOUNTS_CONNECTED": {EN: "Every account that an employer pays into was connected", ES: "Se conectó cada cuenta en la que paga un empleador"},
	"SIX_MONTHS_HISTORY_AVAILABLE":      {EN: "The accounts have six months of history", ES: "Las cuentas tienen seis meses de historial"},
	"NO_FAILED_CONNECTIONS":             {EN: "No connection failed", ES: "Ninguna conexión falló"},
	"DOCUMENTS_READABLE":                {EN: "Every uploaded document could be read", ES: "Todo documento subido pudo leerse"},
}

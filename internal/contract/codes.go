package contract

// Code is the value of the `error` field of an error response. Statuses, documentation
// and tests are generated from the table Codes.
type Code string

const (
	CodeMalformedHeaders     Code = "MALFORMED_HEADERS"
	CodeMalformedBody        Code = "MALFORMED_BODY"
	CodeBodyTooLarge         Code = "BODY_TOO_LARGE"
	CodeUnsupportedMediaType Code = "UNSUPPORTED_MEDIA_TYPE"
	CodeUnknownCustomer      Code = "UNKNOWN_CUSTOMER"
	CodeExpiredToken         Code = "EXPIRED_TOKEN"
	CodeForbidden            Code = "FORBIDDEN"
	CodeConsentNotProvided   Code = "CONSENT_NOT_PROVIDED"
	CodeUnauthorized         Code = "UNAUTHORIZED"
	CodeInvalidToken         Code = "INVALID_TOKEN"
	CodeReportNotReady       Code = "REPORT_NOT_READY"
	CodeInvalidProduct       Code = "INVALID_PRODUCT"
	CodeDuplicateExternalID  Code = "DUPLICATE_EXTERNAL_ID"
	CodeInvalidConsumerID    Code = "INVALID_CONSUMER_ID"
	CodeInvalidParameters    Code = "INVALID_PARAMETERS"
	CodeInvalidCompleteURL   Code = "INVALID_COMPLETE_URL"
	CodeInvalidPublicID      Code = "INVALID_PUBLIC_ID"
	CodeRelayTokenExpired    Code = "RELAY_TOKEN_EXPIRED"
	CodeRelayTokenRevoked    Code = "RELAY_TOKEN_REVOKED"
	CodeInvalidState         Code = "INVALID_STATE"
	CodeDuplicateCustomer    Code = "DUPLICATE_CUSTOMER"
	CodeDuplicateProduct     Code = "DUPLICATE_PRODUCT"
	CodeUnknownChild         Code = "UNKNOWN_CHILD_ACCOUNT"
	CodeUnknownConfiguration Code = "UNKNOWN_PRODUCT_CONFIGURATION"
	CodeBadRequest           Code = "BAD_REQUEST"
	CodeNotFound             Code = "NOT_FOUND"
	CodeGone                 Code = "GONE"
	CodeMethodNotAllowed     Code = "METHOD_NOT_ALLOWED"
	CodeRateLimited          Code = "RATE_LIMITED"
	CodeInternal             Code = "INTERNAL_ERROR"
	CodeUnavailable          Code = "UNAVAILABLE"
	CodeUpstream             Code = "PROVIDER_UNAVAILABLE"
)

// CodeInfo is one row of the table of error codes.
type CodeInfo struct {
	Code    Code
	Status  int    // the HTTP status it is answered with
	Message string // one plain sentence: what is wrong and what to do
}

// Codes returns every error code that an HTTP API of either party answers with, besides
// the widget error types of the initialization endpoints (WidgetErrors). See the API
// reference and docs/divergences.md.
func Codes() []CodeInfo {
	return []CodeInfo{
		{CodeMalformedHeaders, 400, "A required header is missing or has the wrong shape."},
		{CodeMalformedBody, 400, "The body is not what this endpoint takes; details name the fields."},
		{CodeBodyTooLarge, 413, "The body is larger than this endpoint takes."},
		{CodeUnsupportedMediaType, 415, "Send this body with the content type that the endpoint names."},
		{CodeUnknownCustomer, 403, "The credentials or the publicId belong to no customer of this environment."},
		{CodeExpiredToken, 401, "The access token has expired; ask for a new one."},
		{CodeForbidden, 403, "These credentials may not do this."},
		{CodeConsentNotProvided, 403, "Consent was withdrawn, by the consumer or at the bank; account numbers are no longer given."},
		{CodeUnauthorized, 401, "Sign in, or send a valid key."},
		{CodeInvalidToken, 404, "No report of yours has this identifier, or it is over 90 days old."},
		{CodeReportNotReady, 404, "The report is not ready; ask for its status."},
		{CodeInvalidProduct, 400, "No product of yours has this productId."},
		{CodeDuplicateExternalID, 400, "Another report of yours has this externalId already."},
		{CodeInvalidConsumerID, 400, "No consumer of yours has this consumerId, or it came together with prefill."},
		{CodeInvalidParameters, 400, "A parameter is missing, too long or of the wrong type; details name it."},
		{CodeInvalidCompleteURL, 400, "completeUrl is not within the redirect URLs registered on the account."},
		{CodeInvalidPublicID, 400, "No other account of this environment has this publicId."},
		{CodeRelayTokenExpired, 400, "The time to share this report, or to read what was shared, is over; only its " +
			"owner can share it again, with a new third party within 30 days of the report."},
		{CodeRelayTokenRevoked, 400, "The owner has withdrawn this report from the third party, for good."},
		{CodeInvalidState, 409, "This cannot be done in the present state."},
		{CodeDuplicateCustomer, 400, "A child account of yours has this accountName already."},
		{CodeDuplicateProduct, 400, "A product of this account has this productName already."},
		{CodeUnknownChild, 404, "No child account of yours has this publicId."},
		{CodeUnknownConfiguration, 404, "No product configuration of yours has this id."},
		{CodeBadRequest, 400, "A parameter of the request is missing or has the wrong shape; details name it."},
		{CodeNotFound, 404, "There is nothing at this address."},
		{CodeGone, 410, "This existed and has been deleted."},
		{CodeMethodNotAllowed, 405, "This address does not take this method."},
		{CodeRateLimited, 429, "Too many requests; wait as long as Retry-After says."},
		{CodeInternal, 500, "Something failed on our side; the requestId finds it in our log."},
		{CodeUnavailable, 503, "Not ready to serve; try again shortly."},
		{CodeUpstream, 502, "The report service did not answer as it should; try again shortly."},
	}
}

// Info returns the information on c. An unknown code has that of INTERNAL_ERROR, so
// that a mistake never becomes a success.
func (c Code) Info() CodeInfo {
	var internal CodeInfo
	for _, k := range Codes() {
		if k.Code == c {
			return k
		}
		if k.Code == CodeInternal {
			internal = k
		}
	}
	if w := WidgetError(c); w.Valid() {
		return CodeInfo{c, 400, w.Info().Engineer}
	}
	return internal
}

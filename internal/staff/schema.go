package staff

// Schema names the tables of one dashboard. Its only values are Reviewers and
// CustomerUsers, because the names become parts of queries.
type Schema struct {
	users   string // table of the users
	columns string // the columns of users that scanUser reads
	owner   string // the column of users with the role or the account
	links   string // table of links to set a password
	states  string // table of used OpenID Connect states; "" if there are none

	settings string // table of what users chose for themselves
	userID   string // the column of links and settings with the user's ID
	signIns  bool   // users have a column with the time of the last sign-in

	audit   string // table of the audit log
	actor   string // its column with the ID of the user who acted
	subject string // its column with what entries are listed by

	// Actions of the audit log; an empty one is not recorded.
	signedIn, signedOut, signInFailed, resetSent, passwordSet string
	namesMethod                                               bool // entries of sign-ins name the method
}

var (
	// Reviewers are the users of the portal's review dashboard. They have roles. Audit
	// entries have the application as their subject.
	Reviewers = Schema{
		users:   "reviewers",
		columns: "id, email_sealed, password_hash, created_at, '', role, disabled_at, subject_hash IS NOT NULL, signed_in_at",
		owner:   "role", links: "review_links", states: "review_arrivals",
		settings: "review_settings", userID: "reviewer_id", signIns: true,
		audit: "review_audit", actor: "actor", subject: "application_id",
		signedIn: SignedIn, signedOut: SignedOut, signInFailed: SignInFailed, resetSent: ResetSent, passwordSet: PasswordSet, namesMethod: true,
	}
	// CustomerUsers are the users of the provider's dashboard. Each belongs to the account
	// of a customer, and so does each audit entry.
	CustomerUsers = Schema{
		users:    "staff",
		columns:  "id, email_sealed, password_hash, created_at, customer_id, '', 0, FALSE, 0",
		owner:    "customer_id",
		links:    "staff_links",
		settings: "staff_settings", userID: "staff_id",
		audit: "audit", actor: "staff_id", subject: "customer_id",
		signedIn: "signed in", signedOut: "signed out", resetSent: "password link sent", passwordSet: "password set",
	}
)

// Actions in the audit log of the review dashboard.
const (
	SignedIn     = "signedIn"
	SignInFailed = "signInFailed"
	SignedOut    = "signedOut"
	UserAdded    = "personAdded"
	UserChanged  = "personChanged"
	LinkIssued   = "personLinked"
	ResetSent    = "resetSent"
	PasswordSet  = "passwordSet"
)

// Methods of signing in, as the audit log names them.
const (
	byPassword = "password"
	byOIDC     = "elsewhere"
	byLink     = "link"
)

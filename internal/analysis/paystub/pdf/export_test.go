package pdf

// Spent returns the work that reading a file takes, and the error.
func Spent(b []byte) (int, error) {
	r := newReader(b)
	_, err := r.file()
	return maxWork - r.left.work, err
}

// Hash6 returns the hash of revision 6 of an empty password.
func Hash6(salt string) []byte { return hash6(text(salt)) }

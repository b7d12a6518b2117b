package paystub

// maxSteps limits the work on the text of one file: its bytes, and comparisons of cells. A
// pay stub takes at most a fiftieth of it.
const maxSteps = 4_000_000

// steps is the remaining budget.
type steps struct{ left int }

// tooManySteps is the panic value that ends reading when no steps are left.
type tooManySteps struct{}

// spend takes n steps from the budget. It panics with tooManySteps if too few are left.
func (s *steps) spend(n int) {
	if s.left -= n; s.left < 0 {
		panic(tooManySteps{})
	}
}

// Package lsq finds the coefficients of a linear model by least squares, to the last
// digit that the data determine, and says which columns the data cannot tell apart.
//
//	x := []float64{1, 10, 2, 10, 4, 10, 8, 20, 8, 40} // 5 rows of 2 columns, row by row
//	r, err := lsq.Fit(x, 5, 2, y, lsq.Options{Names: []string{"cells", "steps"}, Intercept: true})
//	if err != nil { // names the columns that depend on others
//		log.Fatal(err)
//	}
//	value, low, high := r.Interval([]float64{8, 30}, 0.9) // low to high for a new observation
//
// A row has one number for each column; y has one number for each row.
//
//	You have                            You want                                   Call
//	rows and observations               coefficients, standard errors, R²          Fit
//	many fits, one after the other      the same without allocation                Solver.Solve
//	a fit and a new row                 the value of the model there               Regression.Predict
//	a fit and a new row                 where a new observation will be            Regression.Interval
//	an error                            which columns depend on which              errors.As, DependenceError
//
// For m rows and n columns, Fit and Solve take O(m·n²) time, and the other calls O(n) or
// O(n²).
//
// gonum's mat.QR solves the same problem. This package is for what mat.QR does not give:
// names of dependent columns, digits that ill-conditioned columns cost, and fits without
// allocation.
//
// # Problem
//
//	minimise  Σ_i (y_i − Σ_j x_ij·β_j)²  over β
//
// The run times of programs make hard cases of this problem. Features are few and move
// together: a larger grid has more steps. The logarithm of a product is a sum. A
// feature that was not varied is constant. In plain float64, a solver then loses
// digits by the condition of the columns. If columns depend on each other, it returns
// numbers that mean nothing. This package loses no digits, and names such columns.
//
// # Digits
//
// Let u = 2⁻⁵³, κ the condition of the columns after scaling, and ρ the size of the
// residuals over the largest term of the sum. Relative to their norm, the coefficients
// are off by about
//
//	u·(κ + κ²·ρ)       by QR in float64; normal equations always have κ²
//	2⁻¹⁰⁴·(κ + κ²·ρ)   by QR in pairs of float64, 106 bits
//	u                  with refinement from residuals summed in three parts
//
// This package does the third: QR by modified Gram-Schmidt in pairs (factor.go,
// dd.go), then iterative refinement of coefficients and residuals together
// (refine.go). That takes two to four times as long as a QR in float64. κ²·ρ makes
// Wampler5 harder than Wampler1, with the same columns.
//
// Of the 15 certified digits of NIST's Statistical Reference Datasets [NIST], coefficients
// have 13.2 or more in ten of eleven sets, and 7.9 in Filip (TestNIST). The digits that are
// missing from 15 were lost when decimals became float64. For the float64 numbers as given,
// coefficients, standard errors, residuals and leverages are right to a few units in the last
// place. Tests compare them with rational arithmetic, up to conditions of 10¹⁴ with residuals
// a million times the data (TestIllConditioned). Filip, a polynomial of degree 10, cannot have
// more than 8 digits in float64: u·κ is 6·10⁻⁷.
//
// # Dependent columns
//
// A column depends on columns before it if this holds: moving each of these columns by
// a share τ of its norm at most makes the column an exact combination of the others. τ
// is [DependenceTolerance]. This is the smallest change of the data for which the
// question has no answer. Neither the condition nor a pivot tells that change.
//
// τ = 2⁻⁴⁶ is a hundred roundings. A column that was computed from others, with its own
// rounding, is found to depend on them. Filip, with a condition of 10¹⁵ before its
// columns are scaled, passes by a factor of 10⁴. All columns pass if their smallest
// singular value is above τ·√n, with columns of norm 1. No columns pass if it is below
// τ/√n. The proofs are in factor.go.
//
// The error is a [DependenceError]. It has each column that depends on others, and
// those other columns without which it would not depend. A caller leaves the column out. Of
// nx, ny and nz of a cube, nx stays. A model for cubes says nothing about a slab.
//
// # Allocation and concurrency
//
// A [Solver] and a [Regression] keep their memory and allocate nothing once it
// suffices. A Solver is for one goroutine at a time. Any number of goroutines may read
// a Regression. Inputs are neither kept nor modified.
//
// # References
//
//	[Abramowitz70]  M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, NBS, 1970.
//	[Björck67]      Å. Björck, Solving Linear Least Squares Problems by Gram-Schmidt
//	                Orthogonalization, BIT 7, 1967.
//	[Björck67b]     Å. Björck, Iterative Refinement of Linear Least Squares Solutions I, BIT 7,
//	                1967.
//	[Businger65]    P. Businger, G. H. Golub, Linear Least Squares Solutions by Householder
//	                Transformations, Numerische Mathematik 7, 1965.
//	[Dekker71]      T. J. Dekker, A Floating-Point Technique for Extending the Available
//	                Precision, Numerische Mathematik 18, 1971.
//	[Demmel09]      J. Demmel, Y. Hida, E. J. Riedy, X. S. Li, Extra-Precise Iterative Refinement
//	                for Overdetermined Least Squares Problems, ACM TOMS 35(4), 2009.
//	[Joldes17]      M. Joldes, J.-M. Muller, V. Popescu, Tight and Rigorous Error Bounds for
//	                Basic Building Blocks of Double-Word Arithmetic, ACM TOMS 44(2), 2017.
//	[Knuth97]       D. E. Knuth, The Art of Computer Programming, volume 2, 3rd edition, 1997.
//	[NIST]          Statistical Reference Datasets, linear regression, National Institute of
//	                Standards and Technology, 1997.
//	[Ogita05]       T. Ogita, S. M. Rump, S. Oishi, Accurate Sum and Dot Product, SIAM Journal on
//	                Scientific Computing 26(6), 2005.
package lsq

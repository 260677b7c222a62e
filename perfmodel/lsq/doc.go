// Package lsq finds the coefficients of a linear model by least squares, to the last
// digit that the data determine, and says which columns the data cannot tell apart.
//
// # Problem
//
// [Solver] fits a linear model:
//
//	minimise  Σ_i (y_i − Σ_j x_ij·β_j)²  over β
//
// Profiles of programs make hard cases of this. Features are few and go together, larger grids
// having more steps; logarithms of products are sums; what was not varied is
// constant. Two things then happen to a program that solves it in float64 without
// looking: it loses digits by the condition of the columns, and where they are
// dependent it returns numbers that mean nothing.
//
//	function                        what it tells                            cost, m rows, n columns
//	[Solver.Solve]                  coefficients, deviations, R², what       m·n²
//	                                depends on what
//	[Regression.Predict]            the value at a row                       n
//	[Regression.Interval]           and where an observation would be        n²
//	[Regression.CheckEstimable]     whether data say anything there          n²
//	[Regression.LeaveOneOutTo]      errors on rows that were not fitted      m
//	[Solver.LeaveGroupsOutTo]       errors on groups that were not fitted    m·n² + n³ a group
//
// # Digits
//
// With u = 2⁻⁵³, κ the condition of the columns after scaling, and ρ the size of the
// residuals against the largest term of the sum, the coefficients are off by about
//
//	u·(κ + κ²·ρ)       by QR in float64, normal equations always having κ²
//	2⁻¹⁰⁴·(κ + κ²·ρ)   by the same in pairs of float64, 106 bits
//	u                  with refinement from residuals summed in three parts
//
// of their norm. κ²·ρ is what makes Wampler5 harder than Wampler1 with the same
// columns. This package does the third: QR by modified Gram-Schmidt in pairs,
// factor.go and dd.go, then iterative refinement of coefficients and residuals
// together, refine.go. It takes two to four times as long as a QR in float64. What is
// gained on NIST's Statistical Reference Datasets [NIST], the digits that agree with
// the certified values, which have 15 (TestNIST):
//
//	             coefficients       standard errors     κ
//	             here    gonum      here    gonum
//	Norris       14.1    12.2       13.9    13.9        3
//	Pontius      13.5    11.8       13.8    13.0        20
//	NoInt1       14.7    14.7       15.0    15.0        1
//	NoInt2       15.0    15.0       14.9    15.0        1
//	Longley      14.6    10.9       14.9    12.5        4·10⁴
//	Wampler1     15.0     9.9       15.0     9.7        2·10³
//	Wampler2     13.2    12.5       15.0    14.1        2·10³
//	Wampler3     15.0     9.5       14.5    13.5        2·10³
//	Wampler4     15.0     7.5       14.5    13.4        2·10³
//	Wampler5     15.0     5.5       14.5    13.4        2·10³
//	Filip         7.9     7.2        8.6     7.5        5·10⁹
//
// gonum's are those of mat.QR, the standard errors from the inverse of its R.
// Wampler1 and 2 are exact fits, with standard errors of 0, of which "digits" are
// those after the point. What is missing of 15 was lost when decimals became
// float64: for the numbers as given, coefficients, deviations, residuals and
// leverages are right to a few units in the last place. Tests compare with
// rational arithmetic, up to conditions of 10¹⁴ with residuals a million times the
// data (TestIllConditioned). So Filip, a polynomial of degree 10, is not to be had to
// more digits than 8 from float64: u·κ is 6·10⁻⁷.
//
// # Dependent columns
//
// A column depends on columns before it if moving each of them by a share τ of its
// norm, [DependenceTolerance] or less, makes it an exact combination of the others.
// That is the smallest change of the data for which the question has no answer, so
// it is the one that counts; neither the condition nor a pivot tells it. τ = 2⁻⁴⁶
// is a hundred roundings. A combination that was computed, with its own rounding, is
// found; Filip, with a condition of 10¹⁵ before its columns are scaled, passes
// by a factor of 10⁴, and so does all that has a singular value, with columns of
// norm 1, above τ·√n. Below τ/√n nothing passes. Proofs are in factor.go.
//
// The error, [DependenceError], has each column that depends on others, and on which:
// on all of those, and only those, without which it would not. With
// [Options].DropDependent it is dropped, the others being as if it had never been
// there. So of nx, ny and nz in a cube, nx stays. A model for cubes says nothing of a
// slab, which [Regression.CheckEstimable] reports.
//
// # Residuals of rows that were left out
//
// A model that was fitted to n rows by k coefficients has smaller residuals there than
// elsewhere. The residual that row i would have had, were the model fitted without
// it, is e_i/(1−h_i), h_i being its leverage; no fit is needed. Likewise with a group
// of rows: the runs of one program, or those on 8 processes. Where the remaining
// rows do not determine the coefficients the residual is +Inf, so that such a model is
// never the best. Both equal fitting anew (TestPropExact).
//
// # References
//
// [Abramowitz70] M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions",
// NBS, 1970.
//
// [Allen74] D. M. Allen, "The Relationship between Variable Selection and Data
// Augmentation and a Method for Prediction", Technometrics 16, 1974.
//
// [Björck67] Å. Björck, "Solving Linear Least Squares Problems by Gram-Schmidt
// Orthogonalization", BIT 7, 1967.
//
// [Björck67b] Å. Björck, "Iterative Refinement of Linear Least Squares Solutions I",
// BIT 7, 1967.
//
// [Businger65] P. Businger, G. H. Golub, "Linear Least Squares Solutions by
// Householder Transformations", Numerische Mathematik 7, 1965.
//
// [Cook82] R. D. Cook, S. Weisberg, "Residuals and Influence in Regression",
// Chapman and Hall, 1982.
//
// [Dekker71] T. J. Dekker, "A Floating-Point Technique for Extending the Available
// Precision", Numerische Mathematik 18, 1971.
//
// [Demmel09] J. Demmel, Y. Hida, E. J. Riedy, X. S. Li, "Extra-Precise Iterative
// Refinement for Overdetermined Least Squares Problems", ACM TOMS 35(4), 2009.
//
// [Joldes17] M. Joldes, J.-M. Muller, V. Popescu, "Tight and Rigorous Error Bounds for
// Basic Building Blocks of Double-Word Arithmetic", ACM TOMS 44(2), 2017.
//
// [Knuth97] D. E. Knuth, "The Art of Computer Programming", volume 2, 3rd edition,
// 1997.
//
// [NIST] Statistical Reference Datasets, linear regression, National Institute of
// Standards and Technology, 1997.
//
// [Ogita05] T. Ogita, S. M. Rump, S. Oishi, "Accurate Sum and Dot Product", SIAM
// Journal on Scientific Computing 26(6), 2005.
package lsq

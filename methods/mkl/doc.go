// Package mkl holds the methods that learn with many kernels at once around a support vector
// machine, methods/internal/svm.
//
//	bmkr.go     BMKR, boosted multiple kernel regression (Wu et al. 2017): rounds of epsilon-SVR
//	mkboost.go  MKBOOST, multiple kernel boosting (Xia and Hoi 2013): AdaBoost over SVMs
//	gmkl.go     GMKL, generalised multiple kernel learning (Varma and Babu 2009): a learned sum of kernels
//	channels.go the kernels and the model of GMKL
//	kernels.go  kernel functions, and the matrices of a training set
//	grid.go     the paths and memory of the two boosting methods
//	family.go   BMKR's Gaussian kernels of large sets, whose rows come from one exponential
//	leastsquares.go the bound below which BMKR's linear kernel is not solved
//	vote.go     the model of the two boosting methods: scoring, stages, saving
//
// The boosting methods compute the kernel matrices of a training set once, from one pass of inner products. All rounds
// and all values of C share them. The matrices of BMKR are float32; a test shows that this changes no selected grid
// point. The matrices of MKBOOST are float64, since some have low rank. They are kept in memory while they fit into
// memoryValues together. Otherwise each solver caches the rows that it uses. GMKL uses factors of low rank instead, in
// float64.
//
// One fit runs on one goroutine. For more than two classes GMKL is one against the rest; the boosting methods are
// binary.
package mkl

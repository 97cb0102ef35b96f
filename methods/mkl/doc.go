// Package mkl holds the methods that learn with many kernels at once around a support vector
// machine, methods/internal/svm.
//
//	bmkr.go     BMKR, boosted multiple kernel regression (Wu et al. 2017): rounds of epsilon-SVR
//	mkboost.go  MKBOOST, multiple kernel boosting (Xia and Hoi 2013): AdaBoost over SVMs
//	gmkl.go     GMKL, generalised multiple kernel learning (Varma and Babu 2009): a learned sum of kernels
//	channels.go its kernels and its model
//	kernels.go  kernel functions, and the matrices of a training set
//	grid.go     what the boosting methods share of paths, costs and memory
//	vote.go     the model of the two boosting methods: scoring, stages, saving
//
// The kernel matrices of a training set are made once, from one pass of inner products, and shared by
// all rounds, all kernels of a round and all values of C. BMKR's are float32 (a test shows that this
// changes no selected grid point), MKBOOST's, some of which have low rank, float64. They are kept in memory as long as they are small together;
// beyond that each solver keeps the rows it uses. GMKL has factors of low rank instead, in float64.
//
// One fit runs on one goroutine. For more than two classes GMKL is one against the rest; the boosting methods are binary.
package mkl

//go:build !cgo || !amd64 || windows || nokernels

package vmath

// Level is 0: a build without C uses no instructions beyond those of every processor.
func Level() int { return 0 }

// It runs the Go references.

var (
	cos           = cosArrayRef
	sinCos        = sinCosArrayRef
	exp           = expArrayRef
	tanh          = tanhRef
	dot           = dotRef
	sum           = sumRef
	axpy          = axpyRef
	matVec        = matVecRef
	rowDots       = rowDotsRef
	matTVec       = matTVecRef
	pack          = packRef
	packedMatVec  = packedMatVecRef
	packedMatTVec = packedMatTVecRef
	packedTrig    = packedTrigRef
	packedCosines = packedCosinesRef
	expCos        = expCosRef
	expLinear     = expLinearRef
	expPairs      = expPairsRef
	expShift      = expShiftRef
	reweight      = reweightRef
	margins       = marginsRef
	matMul        = matMulRef
	matMulAdd     = matMulAddRef
	gram          = gramRef
	gramAdd       = gramAddRef
	mirror        = mirrorRef
	transpose     = transposeRef
	gaussian      = gaussianRef
	laplace       = laplaceRef
	addGaussians  = addGaussiansRef
	outer         = outerRef
	scale         = scaleRef
	factor        = factorRef
	back          = backRef
	addRows       = addRowsRef
	columns       = columnsRef
	logistic      = logisticRef
	signed        = signedRef
	hingeMove     = hingeMoveRef
	hingeSlope    = hingeSlopeRef
	wave          = waveRef
	waveSlope     = waveSlopeRef
	rowsExpCos    = rowsExpCosRef
)

// Package methods lists the methods that come with bench. Each family is a
// package of its own below this one, and no family imports another.
package methods

import (
	"slices"

	"github.com/kernelboosting/bench/methods/cart"
	"github.com/kernelboosting/bench/methods/classic"
	"github.com/kernelboosting/bench/methods/fourier"
	"github.com/kernelboosting/bench/methods/gbrff"
	"github.com/kernelboosting/bench/methods/kernel"
	"github.com/kernelboosting/bench/methods/mfga"
	"github.com/kernelboosting/bench/methods/mkl"
	"github.com/kernelboosting/bench/methods/rffsvm"
	"github.com/kernelboosting/bench/methods/rfm"
	"github.com/kernelboosting/bench/methods/rfrboost"
	"github.com/kernelboosting/bench/methods/trees"
	"github.com/kernelboosting/bench/registry"
)

// All returns a registry of every method, and of the groups of methods that --methods takes.
func All() registry.Registry {
	return registry.New(
		gbrff.GBRFF(),
		gbrff.GBRFF1(),
		gbrff.GBRFF2(),
		gbrff.GBRFFRandom(),
		fourier.SQLSKL(),
		fourier.SKL(),
		fourier.SQLSQRMKL(),
		fourier.SQLMKL(),
		fourier.MKL(),
		fourier.SQLMKLJoint(),
		fourier.MKLJoint(),
		rffsvm.GFC(),
		kernel.GK(),
		kernel.GLK(),
		kernel.KRRGD(),
		kernel.SVM(),
		kernel.Falkon(),
		kernel.Nystroem(),
		kernel.EigenPro(),
		mfga.EERF(),
		mfga.LKRF(),
		mfga.MFGA(),
		mfga.RKS(),
		mkl.BMKR(),
		mkl.GMKL(),
		mkl.MKBoost(),
		rffsvm.PBRFF(),
		trees.RF(),
		trees.LGBM(),
		cart.Spec(),
		cart.Golearn(),
		trees.XGB(),
		classic.Logistic(),
		classic.LDA(),
		classic.KNN(),
		rfm.RFM(),
		rfm.XRFM(),
		rfrboost.Gradient(),
		rfrboost.Greedy(),
	).WithGroups(groups()).WithAliases(aliases)
}

func groups() map[string][]string {
	out := map[string][]string{
		"paper":    {"BMKR", "GFC", "PBRFF", "GBRFF1", "LGBM", "GBRFF2"}, // Table 2 of the 2020 paper
		"trees":    {"CART", "RF", "LGBM", "XGB"},
		"kernels":  {"SVM", "GK", "GLK", "KRR-GD", "GMKL", "RFM"}, // exact ones
		"classic":  {"Logistic", "LDA", "KNN", "CART"},
		"boosting": {"BMKR", "GBRFF", "GBRFF1", "GBRFF2", "LGBM", "MKBOOST", "RFRBoost", "RFRBoost-greedy", "XGB"},
		"features": {"EERF", "GFC", "LKRF", "MFGA", "PBRFF", "RKS"}, // chosen or weighted, then one linear machine
		"rff": {"RFF-SQL-SKL", "RFF-SKL", "RFF-SQL-SQR-MKL", "RFF-SQL-MKL", "RFF-MKL", "RFF-SQL-MKL-JOINT",
			"RFF-MKL-JOINT"},
	}
	out["random-features"] = slices.Concat(out["features"], out["rff"])
	return out
}

// aliases are the names that libraries and papers give to the algorithms of these methods. An alias is not the library:
// the message to it says what the method is, and docs/explanation/methods.md how far the two agree.
var aliases = map[string][]string{
	"CART":     {"DecisionTree", "DecisionTreeClassifier", "DecisionTreeRegressor"},
	"KNN":      {"KNeighbors", "KNeighborsClassifier", "KNeighborsRegressor", "k-NN"},
	"LDA":      {"LinearDiscriminantAnalysis"},
	"LGBM":     {"LightGBM", "LGBMClassifier", "LGBMRegressor"},
	"Logistic": {"LogisticRegression", "LogReg"},
	"NYSTROEM": {"Nystrom"},
	"RF":       {"RandomForest", "RandomForestClassifier", "RandomForestRegressor"},
	"RFM":      {"RecursiveFeatureMachine"},
	"RKS":      {"RBFSampler", "RandomKitchenSinks"},
	"SVM":      {"SVC", "libsvm"},
	"XGB":      {"XGBoost", "XGBClassifier", "XGBRegressor"},
}

package externaltrees

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// These sentences say what becomes of a model that is not read.
const (
	saveAgain = `save the model itself: booster_.save_model("model.txt") with LightGBM, ` +
		`save_model("model.json") with XGBoost`
	byImport = "write the scores of the test rows with its own library, and give them to `bench import`"
	asJSON   = `write one that can be read: booster.save_model("model.json")`
	asText   = `write one that can be read: booster.save_model("model.txt")`
	asBinary = "it is the binary form that XGBoost had before JSON; " + asJSON
	asDump   = "it is a text of XGBoost's dump_model, which leaves out what predictions need; " + asJSON
)

// kinds are the files that people have instead, by how they begin or by what is in their first bytes. Bars separate
// alternatives.
var kinds = []struct{ begins, holds, is string }{
	{"\x80", "", "it is a pickle of Python (joblib writes them too); " + saveAgain + "; with scikit-learn, " +
		byImport},
	{"x\x01|x^|x\x9c|x\xda|\x1f\x8b|BZh|\xfd7zXZ", "",
		"it is packed (zlib, gzip, bzip2 or xz); unpack it, or, if it is a pickle of Python, " + saveAgain},
	{"PK\x03\x04", "", "it is a ZIP archive, as skops and H2O write; " + saveAgain},
	{"", "<PMML", "it is a model in PMML, which is not read; " + byImport},
	{"\x08", "onnx|ONNX|Onnx", "it is a model in ONNX, which is not read; " + byImport},
	{"CBM1", "", "it is a model of CatBoost, whose trees are not read; " + byImport},
	{"{", `"oblivious_trees"|"features_info"`, "it is a JSON file of CatBoost, whose trees are not read; " + byImport},
	{"{", `"tree_structure"`, "it is a JSON text of LightGBM's dump_model; " + asText},
	{"{", `"Config":`, "it is the state of a Booster of XGBoost in memory; " + asJSON},
	{"{", `"gbtree_train_param"`, "it is a configuration of XGBoost (save_config), which holds no trees; " + asJSON},
	{"[", `"nodeid"`, asDump},
	{"booster[0]|0:[|0:leaf", "", asDump},
	{"binf|bs64", "", asBinary},
	{"", "\x00gbtree|\x00gblinear|\x00dart", asBinary},
}

// otherKind says what a file is that is no text of LightGBM and no JSON of XGBoost, and how to write one that can be
// read. Where nothing is known it returns why.
func otherKind(file []byte, why error) error {
	head := file[:min(len(file), 4096)]
	if bytes.HasPrefix(file, []byte("{")) {
		head = file // the keys of a JSON file may be at its end
	}
	is := func(in []byte, test func(in, part []byte) bool, alternatives string) bool {
		return slices.ContainsFunc(strings.Split(alternatives, "|"), func(s string) bool { return test(in, []byte(s)) })
	}
	for _, k := range kinds {
		if is(file, bytes.HasPrefix, k.begins) && is(head, bytes.Contains, k.holds) {
			return errors.New(k.is)
		}
	}
	return why
}

package registry

import (
	"embed"
	"fmt"
	"io/fs"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/internal/codehash"
)

// module is the path of the module that this package belongs to.
const module = "github.com/kernelboosting/bench"

// The source of this package, which every method uses, of the generator that methods draw from, and of the logarithm.
//
//go:embed *.go rng/*.go elementary/*.go
var files embed.FS

// ignored are the packages that methods import by way of this one and that no result depends on.
var ignored = []string{module + "/internal/wording", module + "/internal/codehash", module + "/internal/needs/bits64"}

// WithSource returns a registry of r's methods that knows source files: the folder a/b of files
// holds those of package path/a/b. Code hashes them. r is unchanged.
func (r Registry) WithSource(path string, files fs.FS) Registry {
	r.trees = append(r.trees[:len(r.trees):len(r.trees)], codehash.Tree{Path: path, Files: files})
	r.hasher, r.codes = newHasher(r.trees), new(sync.Map)
	return r
}

func newHasher(trees []codehash.Tree) *codehash.Hasher {
	info, _ := debug.ReadBuildInfo()
	return &codehash.Hasher{
		Trees:   append([]codehash.Tree{{Path: module + "/registry", Files: files}}, trees...),
		Ignored: ignored, Module: codehash.BuiltWith(info), Program: codehash.Program,
	}
}

// Code returns a hash of the code of a method: the source of its package and of everything that the package imports.
// Different results always mean a different hash, but not the reverse. If the program does not hold the method's source
// (see [Spec].Files), Code hashes the program.
func (r Registry) Code(name string) (string, error) {
	s, err := r.Lookup(name)
	if err != nil {
		return "", err
	}
	if code, known := r.codes.Load(s.Name); known {
		return code.(string), nil
	}
	hasher := r.hasher
	if s.Files != nil {
		hasher = newHasher(append([]codehash.Tree{{Path: s.pkg, Files: s.Files}}, r.trees...))
	}
	code, err := hasher.Package(s.pkg)
	if err != nil {
		return "", fmt.Errorf("code of method %s: %w", s.Name, err)
	}
	r.codes.Store(s.Name, code)
	return code, nil
}

// Package returns the path of the package that defined the method.
func (s Spec) Package() string { return s.pkg }

// callersPackage returns the package of the nearest caller outside of this one.
func callersPackage() string {
	var at [32]uintptr
	frames := runtime.CallersFrames(at[:runtime.Callers(2, at[:])])
	for {
		f, more := frames.Next()
		if pkg := packageOf(f.Function); pkg != module+"/registry" || strings.HasSuffix(f.File, "_test.go") {
			return pkg
		}
		if !more {
			return ""
		}
	}
}

// packageOf returns the package of a function from the name that the linker gives the function: the path up to the
// first dot after the last slash. A dot in the last part of the path is written %2e.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[") // types of a generic function hold slashes
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return function[:slash] + name
}

package fetch

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/system/files"
)

// file puts a file of a data set into the folder a.Dir under a name. A file that is there with the right MD5 stays.
// Otherwise the file is copied from the mirror, where its name is name or one of others. If the mirror does not have
// the file, it comes from address. "" accepts any MD5.
func (a *Adder) file(ctx context.Context, others []string, address, name, md5sum string) (catalogue.File, error) {
	path := filepath.Join(a.Dir, name)
	f, err := a.here(ctx, path, md5sum)
	if errors.Is(err, fs.ErrNotExist) && a.From != "" {
		f, err = a.fromMirror(ctx, append(others, name), path, md5sum)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if u, e := url.Parse(address); e != nil || u.Scheme != "http" && u.Scheme != "https" {
			return f, fmt.Errorf("the server tells the address %q of the file, which begins with neither http:// nor "+
				"https://", address)
		}
		if f, err = a.Web.File(ctx, address, path, md5sum); err != nil {
			err = fmt.Errorf("%s: %w%s", address, err, a.offline(err))
		}
	}
	f.Path = name
	return f, err
}

// data brings the file of a set: the ARFF file, or a Parquet file if a mirror has only that file. The server's MD5 is
// of the ARFF file, so that a Parquet file is not checked. A Parquet file does not say which columns are categories, so
// the description lists them.
func (a *Adder) data(ctx context.Context, s *set) (catalogue.File, error) {
	_, missing := a.here(ctx, filepath.Join(a.Dir, s.Name+".arff"), s.md5)
	if a.From != "" && errors.Is(missing, fs.ErrNotExist) && !slices.ContainsFunc(s.mirrored(), a.mirrors) {
		names := []string{"dataset_" + s.id + ".pq"}
		for _, name := range s.mirrored() {
			name = strings.TrimSuffix(name, ".arff")
			names = append(names, name+".parquet", name+".pq")
		}
		if i := slices.IndexFunc(names, a.mirrors); i >= 0 {
			s.Format, s.Categorical, s.Missing = read.Parquet.Name, s.nominal, ""
			return a.file(ctx, names[i:i+1], "", s.Name+".parquet", "")
		}
	}
	return a.file(ctx, s.mirrored(), s.address, s.Name+".arff", s.md5)
}

func (a *Adder) mirrors(name string) bool {
	_, err := os.Stat(filepath.Join(a.From, name))
	return err == nil
}

// here returns a file of the folder. The error is fs.ErrNotExist if the file is not there or has another MD5.
func (a *Adder) here(ctx context.Context, path, md5sum string) (f catalogue.File, err error) {
	theirs, ours := md5.New(), sha256.New()
	err = files.Copy(ctx, path, func(size int64) (io.Writer, error) {
		f.Bytes = size
		return io.MultiWriter(theirs, ours), nil
	})
	if err == nil && md5sum != "" && hex.EncodeToString(theirs.Sum(nil)) != md5sum {
		err = fs.ErrNotExist
	}
	f.SHA256 = hex.EncodeToString(ours.Sum(nil))
	return f, err
}

// fromMirror copies the first file of the mirror that has one of the names and the right MD5.
func (a *Adder) fromMirror(ctx context.Context, names []string, path, md5sum string) (f catalogue.File, err error) {
	var wrong error
	for _, name := range names {
		from := filepath.Join(a.From, name)
		f, err = WriteFile(path, md5sum, func(w io.Writer) error {
			return files.Copy(ctx, from, func(int64) (io.Writer, error) { return w, nil })
		})
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, fs.ErrNotExist):
			wrong = fmt.Errorf("%s: %w; is it another version of the set? Take it out of the folder", from, err)
		}
	}
	if wrong != nil {
		return f, wrong
	}
	return f, fs.ErrNotExist
}

// Package npy writes and reads NumPy's file formats: arrays (.npy, version 1.0 of NEP 1) and archives of named
// arrays (.npz). Equal values give equal bytes.
//
// It knows the kinds of arrays that this program exchanges: [Write] and [WriteZip] write them, and [Read], which
// trusts nothing in a file, reads arrays of float64.
package npy

import (
	"archive/zip"
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Write writes v as an array: a *mat.Dense (two axes), []float64, []int (64 bits) or []string (one
// axis, of Unicode strings as long as the longest).
func Write(w io.Writer, v any) error {
	switch v := v.(type) {
	case *mat.Dense:
		rows, columns := v.Dims()
		if err := header(w, "<f8", fmt.Sprintf("(%d, %d)", rows, columns)); err != nil {
			return err
		}
		for i := range rows {
			if err := binary.Write(w, binary.LittleEndian, v.RawRowView(i)); err != nil {
				return err
			}
		}
		return nil
	case []float64:
		if err := header(w, "<f8", length(len(v))); err != nil {
			return err
		}
		return binary.Write(w, binary.LittleEndian, v)
	case []int:
		if err := header(w, "<i8", length(len(v))); err != nil {
			return err
		}
		numbers := make([]int64, len(v))
		for i, n := range v {
			numbers[i] = int64(n)
		}
		return binary.Write(w, binary.LittleEndian, numbers)
	case []string:
		return words(w, v)
	}
	return fmt.Errorf("npy: no array is made of %T", v)
}

// WriteFile writes v as an array to a new file, and closes the file.
func WriteFile(file io.WriteCloser, v any) error {
	w := bufio.NewWriterSize(file, 1<<16)
	return cmp.Or(Write(w, v), w.Flush(), file.Close())
}

func length(n int) string { return fmt.Sprintf("(%d,)", n) }

func header(w io.Writer, kind, shape string) error {
	const magic = "\x93NUMPY\x01\x00"
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	pad := 64 - (len(magic)+2+len(text)+1)%64
	text += strings.Repeat(" ", pad%64) + "\n"
	_, err := io.WriteString(w, magic+string(binary.LittleEndian.AppendUint16(nil, uint16(len(text))))+text)
	return err
}

// words writes strings in UCS-4, each filled up with zeros.
func words(w io.Writer, values []string) error {
	longest := 1
	for _, s := range values {
		longest = max(longest, len([]rune(s)))
	}
	if err := header(w, fmt.Sprintf("<U%d", longest), length(len(values))); err != nil {
		return err
	}
	for _, s := range values {
		letters := make([]rune, longest)
		copy(letters, []rune(s))
		if err := binary.Write(w, binary.LittleEndian, letters); err != nil {
			return err
		}
	}
	return nil
}

// An Array is a named value that Write takes.
type Array struct {
	Name  string
	Value any
}

// WriteZip writes an .npz archive, compressed, with the arrays in order.
func WriteZip(w io.Writer, arrays ...Array) error {
	archive := zip.NewWriter(w)
	for _, a := range arrays {
		file, err := archive.Create(a.Name + ".npy")
		if err != nil {
			return err
		}
		if err := Write(file, a.Value); err != nil {
			return err
		}
	}
	return archive.Close()
}

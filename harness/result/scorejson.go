package result

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/internal/strictjson"
)

// The JSON of a Score, in which another process answers, has the number of rows (n) and, by name, the Fields that the
// score has. JSON has no infinite numbers, but errors of a regression may be infinite. An infinite value is written as
// text.

const rowsName = "n" // of the number of rows

// MarshalJSON implements json.Marshaler.
func (s Score) MarshalJSON() ([]byte, error) {
	out := strconv.AppendInt([]byte(`{"`+rowsName+`":`), int64(s.N), 10)
	for _, f := range fields {
		v := f.Value(&s)
		if v == nil {
			continue
		}
		out = append(append(append(out, `,"`...), f.Name...), `":`...)
		switch v := v.(type) {
		case int64:
			out = strconv.AppendInt(out, v, 10)
		case float64:
			if math.IsInf(v, 0) || math.IsNaN(v) {
				out = append(strconv.AppendFloat(append(out, '"'), v, 'g', -1, 64), '"')
			} else {
				out = strconv.AppendFloat(out, v, 'g', -1, 64)
			}
		}
	}
	return append(out, '}'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Score) UnmarshalJSON(raw []byte) error {
	var values map[string]json.RawMessage
	if err := strictjson.Unmarshal(raw, &values); err != nil {
		return err
	}
	*s = Score{}
	read := 1
	if err := strictjson.Unmarshal(values[rowsName], &s.N); err != nil {
		return fmt.Errorf("the rows of a score: %w", err)
	}
	for _, f := range fields {
		text, there := values[f.Name]
		if !there {
			continue
		}
		read++
		v, err := f.parse(text)
		if err == nil {
			err = f.Set(s, v)
		}
		if err != nil {
			return fmt.Errorf("%s of a score: %w", f.Name, err)
		}
	}
	if read < len(values) {
		return fmt.Errorf("a score has values that this program does not know: %s", raw)
	}
	return nil
}

func (f Field) parse(raw json.RawMessage) (any, error) {
	if f.Kind != Real {
		var n int64
		err := strictjson.Unmarshal(raw, &n)
		return n, err
	}
	if slices.Contains([]string{`"+Inf"`, `"-Inf"`, `"NaN"`}, string(raw)) {
		return strconv.ParseFloat(string(raw[1:len(raw)-1]), 64)
	}
	var x float64
	err := strictjson.Unmarshal(raw, &x)
	return x, err
}

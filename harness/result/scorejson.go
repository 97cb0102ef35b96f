package result

import (
	"encoding/json"
	"strconv"
)

// A Score is written as JSON when a cell comes from another process. JSON has no infinite numbers, but errors
// of a regression may be infinite. So these errors are written as text, with all their bits.

type plainScore Score

type scoreText struct {
	plainScore
	RMSE, MAE, R2 *realText
}

type realText float64

func (r realText) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(r), 'g', -1, 64), nil
}

func (r *realText) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	*r = realText(v)
	return err
}

// MarshalJSON implements json.Marshaler.
func (s Score) MarshalJSON() ([]byte, error) {
	return json.Marshal(scoreText{plainScore(s), (*realText)(s.RMSE), (*realText)(s.MAE), (*realText)(s.R2)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Score) UnmarshalJSON(raw []byte) error {
	var t scoreText
	if err := json.Unmarshal(raw, &t); err != nil {
		return err
	}
	*s = Score(t.plainScore)
	s.RMSE, s.MAE, s.R2 = (*float64)(t.RMSE), (*float64)(t.MAE), (*float64)(t.R2)
	return nil
}

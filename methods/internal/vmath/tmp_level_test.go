package vmath
import "os"
func init() { if os.Getenv("L1") != "" { level = setLevel(1) } }

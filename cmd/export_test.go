package cmd

// Lacks makes this process take its machine for one whose sandbox of plugins lacks something, or nothing.
func Lacks(what string) { lacking = func() string { return what } }

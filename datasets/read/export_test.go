package read

// Claim is for tests of other packages.
var Claim = claim

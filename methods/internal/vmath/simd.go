// Which vector instructions this processor and its system have, for the packages that choose between kernels in C.

package vmath

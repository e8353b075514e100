package libzmq

/*
#include "shim.h"

int gz_curve_keypair(char *public_key, char *secret_key);
int gz_curve_public(char *public_key, const char *secret_key);

#cgo noescape gz_curve_keypair
#cgo nocallback gz_curve_keypair
#cgo noescape gz_curve_public
#cgo nocallback gz_curve_public
*/
import "C"

import (
	"sync"
	"unsafe"
)

// CurveKeyLen is the length of a CURVE key as text.
const CurveKeyLen = 40

// curveMu keeps these calls apart: before 4.3.5 each opens and closes the source of
// random numbers, which some builds of libzmq keep in one global.
var curveMu sync.Mutex

// CurveKeypair makes a pair of keys: zmq_curve_keypair. 0 or -errno.
func CurveKeypair() (public, secret [CurveKeyLen]byte, rc int) {
	var p, s [CurveKeyLen + 1]byte
	curveMu.Lock()
	defer curveMu.Unlock()
	rc = int(C.gz_curve_keypair((*C.char)(unsafe.Pointer(&p[0])), (*C.char)(unsafe.Pointer(&s[0]))))
	return [CurveKeyLen]byte(p[:]), [CurveKeyLen]byte(s[:]), rc
}

// CurvePublic returns the public key of a secret key: zmq_curve_public. 0 or
// -errno.
func CurvePublic(secret [CurveKeyLen]byte) (public [CurveKeyLen]byte, rc int) {
	var p, s [CurveKeyLen + 1]byte // ends with a NUL
	copy(s[:], secret[:])
	curveMu.Lock()
	defer curveMu.Unlock()
	rc = int(C.gz_curve_public((*C.char)(unsafe.Pointer(&p[0])), (*C.char)(unsafe.Pointer(&s[0]))))
	return [CurveKeyLen]byte(p[:]), rc
}

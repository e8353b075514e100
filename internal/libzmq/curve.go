package libzmq

/*
#include "shim.h"

int gz_curve_keypair(char *public_key, char *secret_key);
int gz_curve_public(char *public_key, const char *secret_key);
*/
import "C"

import (
	"sync"
	"unsafe"
)

// CurveKeyLen is the length of a CURVE key in Z85 text.
const CurveKeyLen = 40

// curveMu serializes these calls. Before 4.3.5 each call opens and closes the random
// number source, and some builds of libzmq keep that source in one global variable.
var curveMu sync.Mutex

// CurveKeypair generates a key pair. rc is 0 or -errno.
//
// Implements: zmq_curve_keypair
func CurveKeypair() (public, secret [CurveKeyLen]byte, rc int) {
	var p, s [CurveKeyLen + 1]byte
	curveMu.Lock()
	defer curveMu.Unlock()
	rc = int(C.gz_curve_keypair((*C.char)(unsafe.Pointer(&p[0])), (*C.char)(unsafe.Pointer(&s[0]))))
	return [CurveKeyLen]byte(p[:]), [CurveKeyLen]byte(s[:]), rc
}

// CurvePublic returns the public key of a secret key. rc is 0 or -errno.
//
// Implements: zmq_curve_public
func CurvePublic(secret [CurveKeyLen]byte) (public [CurveKeyLen]byte, rc int) {
	var p, s [CurveKeyLen + 1]byte // ends with a NUL
	copy(s[:], secret[:])
	curveMu.Lock()
	defer curveMu.Unlock()
	rc = int(C.gz_curve_public((*C.char)(unsafe.Pointer(&p[0])), (*C.char)(unsafe.Pointer(&s[0]))))
	return [CurveKeyLen]byte(p[:]), rc
}

package zmq

// PLAIN, ZAP and CURVE. These options apply to subsequent Bind and Connect calls, and
// whichever option was set last decides the Mechanism. Bind and Connect return EINVAL for
// combinations that would keep every peer from connecting or make libzmq abort.
var (
	// PlainServer makes the socket the PLAIN server of its connections. It asks each client
	// for a user name and a password. Default false. Changing it from true to false turns
	// security off.
	//
	// Implements: zmq_setsockopt(ZMQ_PLAIN_SERVER).
	PlainServer = define[bool](optionSpec{number: numPlainServer, name: "PLAIN_SERVER", goName: "PlainServer", kind: kindBool, access: setGet, def: false, setWith: setServer})

	// PlainUsername is the user name for a PLAIN server, at most 255 bytes. It makes the
	// socket a PLAIN client. Default "". Setting it to "" turns PLAIN off, but Get still
	// returns the old name.
	//
	// Implements: zmq_setsockopt(ZMQ_PLAIN_USERNAME).
	PlainUsername = define[string](optionSpec{number: 45, name: "PLAIN_USERNAME", goName: "PlainUsername", kind: kindString, access: setGet, unit: "bytes", def: "", max: 255, setWith: setPlain})

	// PlainPassword is the password for a PLAIN server, at most 255 bytes. libzmq sends it
	// in clear text. Default "". Setting it to "" turns PLAIN off, but Get still returns the
	// old password.
	//
	// Implements: zmq_setsockopt(ZMQ_PLAIN_PASSWORD).
	PlainPassword = define[string](optionSpec{number: numPlainPassword, name: "PLAIN_PASSWORD", goName: "PlainPassword", kind: kindString, access: setGet, unit: "bytes", def: "", max: 255, setWith: setPlain})

	// CurveServer makes the socket the CURVE server of its connections. It needs
	// CurveSecretKey. Default false. Changing it from true to false turns security off. It
	// returns ErrNotSupported if libzmq was built without libsodium.
	//
	// Implements: zmq_setsockopt(ZMQ_CURVE_SERVER).
	CurveServer = define[bool](optionSpec{number: numCurveServer, name: "CURVE_SERVER", goName: "CurveServer", kind: kindBool, access: setGet, def: false, needs: "curve", setWith: setServer})

	// CurvePublicKey is the public key of the socket: 40 characters of Z85, as
	// NewCurveKeypair returns them. A CURVE client needs it. Get returns "" if it is not
	// set. Setting and reading it return ErrNotSupported if libzmq was built without
	// libsodium.
	//
	// Implements: zmq_setsockopt(ZMQ_CURVE_PUBLICKEY).
	CurvePublicKey = define[string](optionSpec{number: numCurvePublicKey, name: "CURVE_PUBLICKEY", goName: "CurvePublicKey", kind: kindKey, access: setGet, def: "", min: 32, max: 40, needs: "curve"})

	// CurveSecretKey is the secret key of the socket: 40 characters of Z85. Both ends
	// need one. Get returns "" if it is not set. Setting and reading it return
	// ErrNotSupported if libzmq was built without libsodium.
	//
	// Implements: zmq_setsockopt(ZMQ_CURVE_SECRETKEY).
	CurveSecretKey = define[string](optionSpec{number: numCurveSecretKey, name: "CURVE_SECRETKEY", goName: "CurveSecretKey", kind: kindKey, access: setGet, def: "", min: 32, max: 40, needs: "curve"})

	// CurveServerKey is the public key of the server: 40 characters of Z85. It makes the
	// socket a CURVE client. Get returns "" if it is not set. Setting and reading it
	// return ErrNotSupported if libzmq was built without libsodium.
	//
	// Implements: zmq_setsockopt(ZMQ_CURVE_SERVERKEY).
	CurveServerKey = define[string](optionSpec{number: numCurveServerKey, name: "CURVE_SERVERKEY", goName: "CurveServerKey", kind: kindKey, access: setGet, def: "", min: 32, max: 40, needs: "curve"})

	// ZapDomain is a name that a server passes to the authenticator (package zmq/zap), so
	// that the authenticator can have rules for each domain. It has 1 to 255 bytes, and
	// cannot be set back to "". Default "". A socket without security consults the
	// authenticator only if ZapDomain is set.
	//
	// Implements: zmq_setsockopt(ZMQ_ZAP_DOMAIN).
	ZapDomain = define[string](optionSpec{number: numZapDomain, name: "ZAP_DOMAIN", goName: "ZapDomain", kind: kindString, access: setGet, unit: "bytes", def: "", min: 1, max: 255})

	// ZapEnforceDomain makes libzmq consult the authenticator only if ZapDomain is set, as
	// the protocol prescribes. Default false. Bind and Connect return EINVAL on a PLAIN
	// server that has this option but no ZapDomain.
	//
	// Implements: zmq_setsockopt(ZMQ_ZAP_ENFORCE_DOMAIN), draft API.
	ZapEnforceDomain = define[bool](optionSpec{number: numZapEnforceDomain, name: "ZAP_ENFORCE_DOMAIN", goName: "ZapEnforceDomain", kind: kindBool, access: setGet, def: false})
)

// GSSAPI (Kerberos). These options return ErrNotSupported unless libzmq was built with
// GSSAPI.
var (
	// GSSAPIServer makes the socket the GSSAPI server of its connections. Default false.
	// Changing it from true to false makes the socket a GSSAPI client.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_SERVER).
	GSSAPIServer = define[bool](optionSpec{number: numGSSAPIServer, name: "GSSAPI_SERVER", goName: "GSSAPIServer", kind: kindBool, access: setGet, def: false, needs: "gssapi", setWith: setServer})

	// GSSAPIPrincipal is the principal whose credentials the socket uses, 1 to 255 bytes.
	// Default "": the system's default principal.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_PRINCIPAL).
	GSSAPIPrincipal = define[string](optionSpec{number: 63, name: "GSSAPI_PRINCIPAL", goName: "GSSAPIPrincipal", kind: kindString, access: setGet, unit: "bytes", def: "", min: 1, max: 255, needs: "gssapi"})

	// GSSAPIServicePrincipal is the principal of the server to which a client connects, 1
	// to 255 bytes. Default "".
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_SERVICE_PRINCIPAL).
	GSSAPIServicePrincipal = define[string](optionSpec{number: 64, name: "GSSAPI_SERVICE_PRINCIPAL", goName: "GSSAPIServicePrincipal", kind: kindString, access: setGet, unit: "bytes", def: "", min: 1, max: 255, needs: "gssapi"})

	// GSSAPIPlaintext turns encryption off but keeps authentication. Both ends must have
	// the same value. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_PLAINTEXT).
	GSSAPIPlaintext = define[bool](optionSpec{number: 65, name: "GSSAPI_PLAINTEXT", goName: "GSSAPIPlaintext", kind: kindBool, access: setGet, def: false, needs: "gssapi"})

	// GSSAPIPrincipalNameType is the form of GSSAPIPrincipal: 0 host-based service name, 1
	// user name, 2 Kerberos principal. Default 0.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_PRINCIPAL_NAMETYPE).
	GSSAPIPrincipalNameType = define[int](optionSpec{number: 90, name: "GSSAPI_PRINCIPAL_NAMETYPE", goName: "GSSAPIPrincipalNameType", kind: kindInt, access: setGet, def: 0, max: 2, needs: "gssapi"})

	// GSSAPIServicePrincipalNameType is the form of GSSAPIServicePrincipal: 0 host-based
	// service name, 1 user name, 2 Kerberos principal. Default 0.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE).
	GSSAPIServicePrincipalNameType = define[int](optionSpec{number: 91, name: "GSSAPI_SERVICE_PRINCIPAL_NAMETYPE", goName: "GSSAPIServicePrincipalNameType", kind: kindInt, access: setGet, def: 0, max: 2, needs: "gssapi"})
)

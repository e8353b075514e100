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
	PlainServer = define[bool](optionSpec{numPlainServer, "PLAIN_SERVER", "PlainServer", kindBool, setGet, "", false, anyType, false, 0, 1, "", &optionRule{set: setServer}})

	// PlainUsername is the user name for a PLAIN server, at most 255 bytes. It makes the
	// socket a PLAIN client. Default "". Setting it to "" turns PLAIN off, but Get still
	// returns the old name.
	//
	// Implements: zmq_setsockopt(ZMQ_PLAIN_USERNAME).
	PlainUsername = define[string](optionSpec{45, "PLAIN_USERNAME", "PlainUsername", kindString, setGet, "bytes", "", anyType, false, 0, 255, "", &optionRule{set: setPlain}})

	// PlainPassword is the password for a PLAIN server, at most 255 bytes. libzmq sends it
	// in clear text. Default "". Setting it to "" turns PLAIN off, but Get still returns the
	// old password.
	//
	// Implements: zmq_setsockopt(ZMQ_PLAIN_PASSWORD).
	PlainPassword = define[string](optionSpec{numPlainPassword, "PLAIN_PASSWORD", "PlainPassword", kindString, setGet, "bytes", "", anyType, false, 0, 255, "", &optionRule{set: setPlain}})

	// CurveServer makes the socket the CURVE server of its connections. It needs
	// CurveSecretKey. Default false. Changing it from true to false turns security off. It
	// returns ErrNotSupported if libzmq was built without libsodium.
	//
	// Implements: zmq_setsockopt(ZMQ_CURVE_SERVER).
	CurveServer = define[bool](optionSpec{numCurveServer, "CURVE_SERVER", "CurveServer", kindBool, setGet, "", false, anyType, false, 0, 1, "curve", &optionRule{set: setServer}})

	// CurvePublicKey is the public key of the socket: 40 characters of Z85, as
	// NewCurveKeypair returns them. A CURVE client needs it. Get returns "" if it is not
	// set. Setting and reading it return ErrNotSupported if libzmq was built without
	// libsodium.
	//
	// Implements: zmq_setsockopt(ZMQ_CURVE_PUBLICKEY).
	CurvePublicKey = define[string](optionSpec{numCurvePublicKey, "CURVE_PUBLICKEY", "CurvePublicKey", kindKey, setGet, "", "", anyType, false, 32, 40, "curve", nil})

	// CurveSecretKey is the secret key of the socket: 40 characters of Z85. Both ends
	// need one. Get returns "" if it is not set. Setting and reading it return
	// ErrNotSupported if libzmq was built without libsodium.
	//
	// Implements: zmq_setsockopt(ZMQ_CURVE_SECRETKEY).
	CurveSecretKey = define[string](optionSpec{numCurveSecretKey, "CURVE_SECRETKEY", "CurveSecretKey", kindKey, setGet, "", "", anyType, false, 32, 40, "curve", nil})

	// CurveServerKey is the public key of the server: 40 characters of Z85. It makes the
	// socket a CURVE client. Get returns "" if it is not set. Setting and reading it
	// return ErrNotSupported if libzmq was built without libsodium.
	//
	// Implements: zmq_setsockopt(ZMQ_CURVE_SERVERKEY).
	CurveServerKey = define[string](optionSpec{numCurveServerKey, "CURVE_SERVERKEY", "CurveServerKey", kindKey, setGet, "", "", anyType, false, 32, 40, "curve", nil})

	// ZapDomain is a name that a server passes to the authenticator (package zmq/zap), so
	// that the authenticator can have rules for each domain. It has 1 to 255 bytes, and
	// cannot be set back to "". Default "". A socket without security consults the
	// authenticator only if ZapDomain is set.
	//
	// Implements: zmq_setsockopt(ZMQ_ZAP_DOMAIN).
	ZapDomain = define[string](optionSpec{numZapDomain, "ZAP_DOMAIN", "ZapDomain", kindString, setGet, "bytes", "", anyType, false, 1, 255, "", nil})

	// ZapEnforceDomain makes libzmq consult the authenticator only if ZapDomain is set, as
	// the protocol prescribes. Default false. Bind and Connect return EINVAL on a PLAIN
	// server that has this option but no ZapDomain.
	//
	// Implements: zmq_setsockopt(ZMQ_ZAP_ENFORCE_DOMAIN), draft API.
	ZapEnforceDomain = define[bool](optionSpec{numZapEnforceDomain, "ZAP_ENFORCE_DOMAIN", "ZapEnforceDomain", kindBool, setGet, "", false, anyType, false, 0, 1, "", nil})
)

// GSSAPI (Kerberos). These options return ErrNotSupported unless libzmq was built with
// GSSAPI.
var (
	// GSSAPIServer makes the socket the GSSAPI server of its connections. Default false.
	// Changing it from true to false makes the socket a GSSAPI client.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_SERVER).
	GSSAPIServer = define[bool](optionSpec{numGSSAPIServer, "GSSAPI_SERVER", "GSSAPIServer", kindBool, setGet, "", false, anyType, false, 0, 1, "gssapi", &optionRule{set: setServer}})

	// GSSAPIPrincipal is the principal whose credentials the socket uses, 1 to 255 bytes.
	// Default "": the system's default principal.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_PRINCIPAL).
	GSSAPIPrincipal = define[string](optionSpec{63, "GSSAPI_PRINCIPAL", "GSSAPIPrincipal", kindString, setGet, "bytes", "", anyType, false, 1, 255, "gssapi", nil})

	// GSSAPIServicePrincipal is the principal of the server to which a client connects, 1
	// to 255 bytes. Default "".
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_SERVICE_PRINCIPAL).
	GSSAPIServicePrincipal = define[string](optionSpec{64, "GSSAPI_SERVICE_PRINCIPAL", "GSSAPIServicePrincipal", kindString, setGet, "bytes", "", anyType, false, 1, 255, "gssapi", nil})

	// GSSAPIPlaintext turns encryption off but keeps authentication. Both ends must have
	// the same value. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_PLAINTEXT).
	GSSAPIPlaintext = define[bool](optionSpec{65, "GSSAPI_PLAINTEXT", "GSSAPIPlaintext", kindBool, setGet, "", false, anyType, false, 0, 1, "gssapi", nil})

	// GSSAPIPrincipalNameType is the form of GSSAPIPrincipal: 0 host-based service name, 1
	// user name, 2 Kerberos principal. Default 0.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_PRINCIPAL_NAMETYPE).
	GSSAPIPrincipalNameType = define[int](optionSpec{90, "GSSAPI_PRINCIPAL_NAMETYPE", "GSSAPIPrincipalNameType", kindInt, setGet, "", 0, anyType, false, 0, 2, "gssapi", nil})

	// GSSAPIServicePrincipalNameType is the form of GSSAPIServicePrincipal: 0 host-based
	// service name, 1 user name, 2 Kerberos principal. Default 0.
	//
	// Implements: zmq_setsockopt(ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE).
	GSSAPIServicePrincipalNameType = define[int](optionSpec{91, "GSSAPI_SERVICE_PRINCIPAL_NAMETYPE", "GSSAPIServicePrincipalNameType", kindInt, setGet, "", 0, anyType, false, 0, 2, "gssapi", nil})
)

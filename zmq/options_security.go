package zmq

// PLAIN, ZAP and CURVE. They count for the Bind and Connect calls that come
// after; which of them was set last decides on the Mechanism. Combinations with
// which nobody could connect, or that would abort the process, are refused by
// Bind and Connect.
var (
	// PlainServer makes the socket the one of the two that asks for a name and a
	// password. Default false. Setting it to false when it is true turns security
	// off.
	//
	// libzmq: ZMQ_PLAIN_SERVER.
	PlainServer = known[bool](numPlainServer)

	// PlainUsername is the name to give to a PLAIN server, at most 255 bytes. It
	// makes the socket a PLAIN client. Default "". Setting it to "" turns PLAIN
	// off, though libzmq then still shows the old name.
	//
	// libzmq: ZMQ_PLAIN_USERNAME.
	PlainUsername = known[string](numPlainUsername)

	// PlainPassword is the password to give to a PLAIN server, at most 255 bytes.
	// It crosses the network in clear text. Default "". Setting it to "" turns
	// PLAIN off, though libzmq then still shows the old password.
	//
	// libzmq: ZMQ_PLAIN_PASSWORD.
	PlainPassword = known[string](numPlainPassword)

	// CurveServer makes the socket the CURVE server of its connections; it needs
	// CurveSecretKey. Default false. Setting it to false when it is true turns
	// security off.
	//
	// libzmq: ZMQ_CURVE_SERVER. Without libsodium in libzmq: ErrNotSupported.
	CurveServer = known[bool](numCurveServer)

	// CurvePublicKey is the socket's own public key, in 40 characters of Z85 as
	// NewCurveKeypair makes them. A CURVE client needs it. Get returns "" when it
	// is unset.
	//
	// libzmq: ZMQ_CURVE_PUBLICKEY. Without libsodium in libzmq: ErrNotSupported.
	CurvePublicKey = known[string](numCurvePublicKey)

	// CurveSecretKey is the socket's own secret key, in 40 characters of Z85. Both
	// ends need one. Get returns "" when it is unset.
	//
	// libzmq: ZMQ_CURVE_SECRETKEY. Without libsodium in libzmq: ErrNotSupported.
	CurveSecretKey = known[string](numCurveSecretKey)

	// CurveServerKey is the public key of the server, in 40 characters of Z85. It
	// makes the socket a CURVE client. Get returns "" when it is unset.
	//
	// libzmq: ZMQ_CURVE_SERVERKEY. Without libsodium in libzmq: ErrNotSupported.
	CurveServerKey = known[string](numCurveServerKey)

	// ZapDomain is what a server tells the authenticator (package zmq/zap) besides
	// who wants to connect, so that it can have rules for each domain. 1 to 255
	// bytes; once set it cannot be emptied again. Default "", with which a socket
	// without security asks nobody.
	//
	// libzmq: ZMQ_ZAP_DOMAIN.
	ZapDomain = known[string](numZapDomain)

	// ZapEnforceDomain makes libzmq ask an authenticator only if ZapDomain is set,
	// as the protocol prescribes. Default false. A PLAIN server with it and without
	// ZapDomain is refused by Bind and Connect.
	//
	// libzmq: ZMQ_ZAP_ENFORCE_DOMAIN, of the draft API.
	ZapEnforceDomain = known[bool](numZapEnforceDomain)
)

// GSSAPI (Kerberos). They need a libzmq that was built with it, otherwise they
// are ErrNotSupported.
var (
	// GSSAPIServer makes the socket the GSSAPI server of its connections. Default
	// false. Setting it to false when it is true leaves a GSSAPI client.
	//
	// libzmq: ZMQ_GSSAPI_SERVER.
	GSSAPIServer = known[bool](numGSSAPIServer)

	// GSSAPIPrincipal is the principal whose credentials the socket uses, 1 to 255
	// bytes. Default "": the system's default.
	//
	// libzmq: ZMQ_GSSAPI_PRINCIPAL.
	GSSAPIPrincipal = known[string](63)

	// GSSAPIServicePrincipal is the principal of the server that a client connects
	// to, 1 to 255 bytes. Default "".
	//
	// libzmq: ZMQ_GSSAPI_SERVICE_PRINCIPAL.
	GSSAPIServicePrincipal = known[string](64)

	// GSSAPIPlaintext turns encryption off and leaves authentication on. Both ends
	// must agree. Default false.
	//
	// libzmq: ZMQ_GSSAPI_PLAINTEXT.
	GSSAPIPlaintext = known[bool](65)

	// GSSAPIPrincipalNameType says how GSSAPIPrincipal is written: 0 name of a
	// service on a host, 1 user name, 2 Kerberos principal. Default 0.
	//
	// libzmq: ZMQ_GSSAPI_PRINCIPAL_NAMETYPE.
	GSSAPIPrincipalNameType = known[int](90)

	// GSSAPIServicePrincipalNameType says how GSSAPIServicePrincipal is written: 0
	// name of a service on a host, 1 user name, 2 Kerberos principal. Default 0.
	//
	// libzmq: ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE.
	GSSAPIServicePrincipalNameType = known[int](91)
)

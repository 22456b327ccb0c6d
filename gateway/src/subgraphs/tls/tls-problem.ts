/** What the codes of failed TLS handshakes mean for who runs the gateway. Codes of OpenSSL and of Node.js. */
const MEANINGS: readonly (readonly [codes: RegExp, meaning: string])[] = [
  [/^CERT_HAS_EXPIRED$/, 'The certificate of the subgraph has expired.'],
  [/^CERT_NOT_YET_VALID$/, 'The certificate of the subgraph is not valid yet.'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA)$/,
    'No authority that the gateway trusts has signed the certificate of the subgraph (subgraphConnections.tls.ca).',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'The certificate of the subgraph is for other names than the one in its address (subgraphConnections.tls.serverName).',
  ],
  [
    /^ERR_SSL_TLSV1\w*_ALERT_(CERTIFICATE_REQUIRED|UNKNOWN_CA)$|^ERR_SSL_(TLS|SSL)V\w*_ALERT_(BAD_CERTIFICATE|CERTIFICATE_(EXPIRED|UNKNOWN|REVOKED)|HANDSHAKE_FAILURE)$/,
    'The subgraph demands a client certificate, or does not accept the one of the gateway (subgraphConnections.tls.certificate).',
  ],
  [
    /^UND_ERR_SOCKET$/,
    'The subgraph closed the connection without a response. Right after the handshake, that is how some servers reject a client certificate or ask for one (subgraphConnections.tls.certificate).',
  ],
  [
    /^ERR_SSL_WRONG_VERSION_NUMBER$|^EPROTO$/,
    'The subgraph does not speak TLS at its https address, or no version of it that the gateway speaks.',
  ],
  [
    /^ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL$/,
    'The subgraph speaks no version of HTTP that subgraphConnections.protocol allows.',
  ],
];

/**
 * Explains why a TLS connection to a subgraph failed, for the log.
 *
 * @returns the error itself where it has nothing to do with TLS; else one with a sentence, caused by it
 */
export function explainTlsProblem(error: Error): Error {
  const code = codeOf(error);
  const meaning = code === undefined ? undefined : MEANINGS.find(([codes]) => codes.test(code))?.[1];
  return meaning === undefined ? error : new Error(meaning, { cause: error });
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

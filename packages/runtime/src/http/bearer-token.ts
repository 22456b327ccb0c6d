/**
 * The token of a header `Authorization` with the scheme Bearer. The name of a scheme is the same in upper and lower case.
 *
 * @returns undefined without the header, for another scheme, and for what is no `b64token`: it has no spaces
 * @see RFC 9110 §11.1, RFC 6750 §2.1
 */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1];
}

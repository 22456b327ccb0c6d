/** Why a redirect URI can't be registered, or undefined when it can. RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1 */
export function redirectUriProblem(uri: string): string | undefined {
  if (!/^[\x21-\x7E]+$/.test(uri)) return 'has characters outside printable ASCII';
  if (uri.includes('#')) return 'has a fragment';
  if (uri.includes('*')) return 'has a wildcard';
  if (uri.includes('\\')) return 'has a backslash';
  if (!URL.canParse(uri)) return 'is not an absolute URI';
  const { protocol, username, password } = new URL(uri);
  if (username !== '' || password !== '') return 'has user information';
  return schemeProblem(protocol.slice(0, -1), uri);
}

function schemeProblem(scheme: string, uri: string): string | undefined {
  if (scheme === 'https') return uri.startsWith('https://') ? undefined : 'is not spelled https://';
  if (scheme === 'http') {
    return isLoopback(uri) ? undefined : 'uses http for a host other than localhost, 127.0.0.1 and [::1]';
  }
  return scheme.includes('.') ? undefined : 'has a scheme of its own without a dot (RFC 8252 §7.1)';
}

/** The spelling counts: other forms of loopback addresses are not in the exception of RFC 8252 §8.3. */
function isLoopback(uri: string): boolean {
  return /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?([/?].*)?$/.test(uri);
}

const LOOPBACK_ADDRESS = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/;

/**
 * Whether a requested redirect URI is the registered one: character for character, except that a native client may add
 * any port to a registered literal loopback address.
 *
 * @see RFC 8252 §7.3
 */
export function redirectUriMatches(requested: string, registered: string, isNative: boolean): boolean {
  if (requested === registered) return true;
  if (!isNative) return false;
  const [, address, port, rest] = LOOPBACK_ADDRESS.exec(requested) ?? [];
  const [, registeredAddress, , registeredRest] = LOOPBACK_ADDRESS.exec(registered) ?? [];
  if (address === undefined || address !== registeredAddress || rest !== registeredRest) return false;
  return port === undefined || Number(port) <= 65_535;
}

/**
 * The source expression that lets a form's redirect reach a URI, for `form-action` (Chromium and Safari apply it to the
 * redirects that follow a form). An IPv6 host and a scheme of its own can only be named by their scheme.
 */
export function formActionSource(uri: string): string {
  const { protocol, hostname, origin } = new URL(uri);
  const nameable = (protocol === 'https:' || protocol === 'http:') && !hostname.startsWith('[');
  return nameable ? origin : protocol;
}

/** The URI with more query parameters at the end; what was registered stays as it is. RFC 6749 §3.1.2 */
export function withQuery(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const added = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  if (!uri.includes('?')) return `${uri}?${added}`;
  return /[?&]$/.test(uri) ? `${uri}${added}` : `${uri}&${added}`;
}

import type { IncomingHttpHeaders } from 'node:http';
import { rejected } from '../../errors.ts';
import { isOwnOrigin } from './cross-origin.ts';

/**
 * A web page can make a browser send certain requests to any origin, cookies and network position included, without
 * asking that origin first: every GET, and POSTs with the few media types of HTML forms or with none. The response stays
 * unreadable to the page, but the work is done. Any header that a page may not set by itself makes the browser ask
 * (a CORS preflight): these do.
 */
const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;
/** Browsers add `Basic`, `Digest` and `Negotiate` by themselves, and never a token. */
const TOKEN = /^(?:Bearer|DPoP) /i;
/** Modes in which a page sets no header that has to be asked for: a proxy added those that came. */
const SILENT_MODES: ReadonlySet<string> = new Set(['no-cors', 'navigate']);
/** With what every browser's User-Agent begins. A page cannot change it without a preflight. */
const BROWSER = /^\s*Mozilla\//i;

/**
 * Rejects a request that a page of another origin could have made a browser send without asking.
 *
 * @param isPreflighted whether something else about the request already makes browsers ask, such as its media type
 * @param allowsOrigin whether pages of an origin may use the graph
 * @throws RequestError CSRF_PREVENTED
 * @see docs/adr/0057-who-could-have-sent-a-simple-request.md; Fetch standard, "CORS-safelisted request-header"; Fetch Metadata
 */
export function preventCsrf(
  headers: IncomingHttpHeaders,
  isPreflighted: boolean,
  allowsOrigin: (origin: string) => boolean,
): void {
  if (isPreflighted || hasBeenAskedFor(headers) || !mayBeForged(headers, allowsOrigin)) return;
  throw rejected(
    'CSRF_PREVENTED',
    'A web page could send this request across origins without asking. Send it by POST with "content-type: application/json", ' +
      `or with a header that pages can't set by themselves: authorization with a token, ${PREFLIGHT_HEADERS.join(' or ')}.`,
  );
}

function hasBeenAskedFor(headers: IncomingHttpHeaders): boolean {
  const isMarked =
    TOKEN.test(headers.authorization ?? '') || PREFLIGHT_HEADERS.some((name) => Boolean(headers[name]));
  return isMarked && !SILENT_MODES.has(String(headers['sec-fetch-mode']));
}

/** Browsers say where a request comes from, except to plain http addresses of other machines: there they give their name alone. */
function mayBeForged(headers: IncomingHttpHeaders, allowsOrigin: (origin: string) => boolean): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site === 'same-origin' || site === 'none') return false;
  if (origin !== undefined) return !isOwnOrigin(origin, headers.host) && !allowsOrigin(origin);
  return site !== undefined || BROWSER.test(headers['user-agent'] ?? '');
}

import type { IncomingHttpHeaders } from 'node:http';
import { refused } from '../../errors.ts';

/**
 * A web page can make a browser send certain requests to any origin, cookies and network position included, without
 * asking that origin first: every GET, and POSTs with the few media types of HTML forms or with none. The answer stays
 * unreadable to the page, but the work is done. Any header that a page may not set by itself makes the browser ask
 * (a CORS preflight), so such requests have to carry one.
 */
const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;

/**
 * Refuses a request that a browser would send across origins without asking.
 *
 * @param preflighted whether something else about the request already makes browsers ask, such as its media type
 * @throws RequestRefused CSRF_PREVENTED
 * @see Fetch standard, "CORS-safelisted request-header"
 */
export function preventCsrf(headers: IncomingHttpHeaders, preflighted: boolean): void {
  if (preflighted || PREFLIGHT_HEADERS.some((name) => Boolean(headers[name]))) return;
  throw refused(
    'CSRF_PREVENTED',
    'A web page could send this request across origins without asking. Send it by POST with "content-type: application/json", ' +
      `or with a header that pages can't set by themselves: ${PREFLIGHT_HEADERS.join(' or ')}.`,
  );
}

import type { FastifyReply } from 'fastify';
import type { Page } from '../pages/pages.ts';

/** Settings of {@link sendPage}. */
export interface PageOptions {
  /** @default 200 */
  readonly status?: number;
  /** Where a form of the page may lead besides this server: a source expression. Browsers apply it to redirects too. */
  readonly formTarget?: string | undefined;
  /** Whether forms lead to the `formTarget` alone, which may see that they come from this server. @default false */
  readonly leavesOnly?: boolean;
  /** The one script of the page: a source expression. @default none */
  readonly script?: string;
}

/**
 * Sends a page with the headers that every page has: no script but the one it is made for, no frame, no referrer, no cache, and forms that lead
 * nowhere but to this server and the client's redirect URI.
 */
export function sendPage(reply: FastifyReply, page: Page, options: PageOptions = {}): FastifyReply {
  const ownForms = options.leavesOnly ? undefined : "'self'";
  const formAction = [ownForms, options.formTarget].filter((source) => source !== undefined).join(' ');
  return reply
    .status(options.status ?? 200)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': [
        "default-src 'none'",
        `style-src ${page.styleSource}`,
        "img-src 'self'",
        ...(options.script === undefined ? [] : [`script-src ${options.script}`]),
        `form-action ${formAction}`,
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join('; '),
      'x-frame-options': 'DENY',
      // Without a referrer the client would be posted to by the origin "null", which many reject.
      ...(options.leavesOnly && { 'referrer-policy': 'strict-origin' }),
      // The opener of the window loses its handle. Pages of an authorization request do without: an application
      // that has them in a popup learns of the end through its opener.
      ...(options.formTarget === undefined && { 'cross-origin-opener-policy': 'same-origin' }),
    })
    .send(page.html);
}

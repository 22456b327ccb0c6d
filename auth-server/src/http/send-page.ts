import type { FastifyReply } from 'fastify';
import { stylesheetSource } from '../pages/pages.ts';

/** Settings of {@link sendPage}. */
export interface PageOptions {
  /** @default 200 */
  readonly status?: number;
  /** Where a form of the page may lead besides this server: a source expression. Browsers apply it to redirects too. */
  readonly formTarget?: string | undefined;
}

/**
 * Sends a page with the headers that every page has: no script, no frame, no referrer, no cache, and forms that lead
 * nowhere but to this server and the client's redirect URI.
 */
export function sendPage(reply: FastifyReply, html: string, options: PageOptions = {}): FastifyReply {
  const formAction = ["'self'", options.formTarget].filter((source) => source !== undefined).join(' ');
  return reply
    .status(options.status ?? 200)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': [
        "default-src 'none'",
        `style-src ${stylesheetSource}`,
        `form-action ${formAction}`,
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join('; '),
      'x-frame-options': 'DENY',
      // The opener of the window loses its handle. Pages of an authorization request do without: an application
      // that has them in a popup learns of the end through its opener.
      ...(options.formTarget === undefined && { 'cross-origin-opener-policy': 'same-origin' }),
    })
    .send(html);
}

import type { FastifyRequest } from 'fastify';
import { OAuthError } from '../errors.ts';

/**
 * Whether another site has sent a form. Under `Referrer-Policy: no-referrer` browsers send `Origin: null` with forms of our own, so
 * that value proves nothing; Sec-Fetch-Site and the form's token do.
 */
export function isOfAnotherSite({ headers }: FastifyRequest, issuer: string): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isForeignOrigin = origin !== undefined && origin !== 'null' && origin !== new URL(issuer).origin;
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  return isForeignOrigin || isForeignSite;
}

/**
 * Rejects forms that another site has sent.
 *
 * @throws OAuthError access_denied
 */
export function checkSameOrigin(request: FastifyRequest, issuer: string): void {
  if (!isOfAnotherSite(request, issuer)) return;
  throw new OAuthError('access_denied', 'The form was sent by another site.', {
    status: 403,
    redirect: false,
  });
}

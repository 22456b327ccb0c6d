import type { Keys } from '../secrets/secrets.ts';
import type { ClientCertificates } from './client-certificates.ts';
import type { Cookies } from './cookies.ts';
import type { RequestLimits } from './request-limits.ts';

/** What belongs to requests and browsers. */
export interface HttpFeatures {
  readonly cookies: Cookies;
  /** Reads certificates that clients have shown. */
  readonly clientCertificates: ClientCertificates;
  /** Keys of the tokens that bind forms to browsers. */
  readonly csrfKeys: Keys;
  /** Limits requests of networks and clients. */
  readonly requestLimits: RequestLimits;
}

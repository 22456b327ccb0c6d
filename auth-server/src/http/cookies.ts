import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomToken, sha256 } from '../secrets/secrets.ts';

/** The cookies of the pages. */
export interface Cookies {
  /** What the session cookie holds. */
  readSession(request: FastifyRequest): string | undefined;
  writeSession(reply: FastifyReply, value: string, maxAgeS: number): void;
  clearSession(reply: FastifyReply): void;
  /** The hash that binds transactions to this browser, if it has been here. */
  readBrowser(request: FastifyRequest): string | undefined;
  /** The same; a browser that is new here gets its cookie. */
  ensureBrowser(request: FastifyRequest, reply: FastifyReply): string;
  readKnownBrowser(request: FastifyRequest): string | undefined;
  writeKnownBrowser(reply: FastifyReply, value: string): void;
}

const KNOWN_BROWSER_MAX_AGE_S = 180 * 86_400;

/**
 * HttpOnly, SameSite=Lax and of this host alone; on https Secure and with the `__Host-` prefix.
 *
 * @param isHttps whether the issuer is https
 */
export function createCookies(isHttps: boolean): Cookies {
  const prefix = isHttps ? '__Host-' : '';
  const names = {
    session: `${prefix}trellis-session`,
    browser: `${prefix}trellis-browser`,
    knownBrowser: `${prefix}trellis-known`,
  };
  const options: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps };
  const readBrowser: Cookies['readBrowser'] = (request) => {
    const value = request.cookies[names.browser];
    return value === undefined ? undefined : sha256(value);
  };
  return {
    readSession: (request) => request.cookies[names.session],
    writeSession: (reply, value, maxAgeS) =>
      void reply.setCookie(names.session, value, { ...options, maxAge: maxAgeS }),
    clearSession: (reply) => void reply.clearCookie(names.session, options),
    readBrowser,
    ensureBrowser: (request, reply) => {
      const known = readBrowser(request);
      if (known !== undefined) return known;
      const value = randomToken();
      reply.setCookie(names.browser, value, options);
      return sha256(value);
    },
    readKnownBrowser: (request) => request.cookies[names.knownBrowser],
    writeKnownBrowser: (reply, value) =>
      void reply.setCookie(names.knownBrowser, value, { ...options, maxAge: KNOWN_BROWSER_MAX_AGE_S }),
  };
}

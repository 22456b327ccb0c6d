import { describe, expect, it } from 'vitest';
import { OAuthError, oauthErrors } from './errors.ts';

describe('the error catalogue', () => {
  it('A-012 keeps quotes, line breaks and non-ASCII out of error_description', () => {
    const error = new OAuthError('invalid_request', 'bad "value"\r\n\\ ü');
    expect(error.message).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/);
  });

  it('gives every code a section of a standard and an error status', () => {
    for (const [code, entry] of Object.entries(oauthErrors)) {
      expect(code).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
      expect(entry.section).toMatch(/^(RFC \d+|OpenID Connect \w+) §/);
      expect(entry.status).toBeGreaterThanOrEqual(400);
    }
  });

  it('lets an occurrence forbid the redirect that its code would allow', () => {
    expect(new OAuthError('invalid_request', 'x').redirectable).toBe(true);
    expect(new OAuthError('invalid_request', 'x', { redirect: false }).redirectable).toBe(false);
  });
});

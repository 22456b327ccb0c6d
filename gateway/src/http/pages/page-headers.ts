import { createHash } from 'node:crypto';

/** Sources of a page, by directive of its policy; what is not listed has none. CSP Level 3 */
export type PageSources = Readonly<Record<`${string}-src`, readonly string[]>>;

/**
 * The headers of a page. It is in no frame, loads nothing but its own, says to no one where its user comes from, and is
 * not stored: it differs by language, and by what is served now.
 */
export function pageHeaders(sources: PageSources): Readonly<Record<string, string>> {
  const listed = Object.entries(sources).map(([directive, all]) => `${directive} ${all.join(' ')}`);
  const policy = [
    "default-src 'none'",
    ...listed,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...SAFE_CONTENT,
  };
}

/** Of everything that browsers load as it is declared, and in no frame. */
export const SAFE_CONTENT: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The source expression that lets an inline style in, and no other. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

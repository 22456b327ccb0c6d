import { describe, expect, it } from 'vitest';
import { isTrustedAddress } from './configured-issuers.ts';

describe('Metadata', () => {
  it.each([
    ['https://id.example', true],
    ['http://127.0.0.1:9000', true],
    ['http://localhost/realms/a', true],
    ['http://[::1]:1/', true],
    ['http://id.example', false],
    ['http://127.0.0.1.evil.example', false],
    ['http://localhost.evil.example', false],
    ['ftp://id.example', false],
    ['id.example', false],
  ])('of %s may be trusted: %s', (url, may) => {
    expect(isTrustedAddress(url)).toBe(may);
  });
});

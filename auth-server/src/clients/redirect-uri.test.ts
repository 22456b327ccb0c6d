import { describe, expect, it } from 'vitest';
import { formActionSource, redirectUriMatches, redirectUriProblem, withQuery } from './redirect-uri.ts';

describe('registration of redirect URIs', () => {
  it.each([
    'https://app.example/callback',
    'https://app.example/callback?tenant=1',
    'http://localhost:4000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:9/cb',
    'com.example.app:/cb',
  ])('takes %s', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  it.each([
    '',
    '/relative',
    'app.example/cb',
    'https://app.example/cb#x',
    'https://*.app.example/cb',
    'https://app.example/*',
    'https://user@app.example/cb',
    'http://app.example/cb',
    'http://localhost.evil.example/cb',
    'http://127.0.0.2/cb',
    'http://127.1/cb',
    'http://0x7f000001/cb',
    'https:/app.example/cb',
    'https://app.example\\cb',
    'https://app.example/c b',
    'https://app.example/ü',
    'javascript:alert(1)',
    'data:text/html,x',
    'myapp:/cb',
  ])('A-039 rejects %j', (uri) => {
    expect(redirectUriProblem(uri)).toBeTypeOf('string');
  });
});

describe('RFC 8252 §7.3', () => {
  const registered = 'http://127.0.0.1/cb?x=1';

  it('A-040 lets a native client add any port to a loopback address, and nothing else', () => {
    expect(redirectUriMatches('http://127.0.0.1:51004/cb?x=1', registered, true)).toBe(true);
    expect(redirectUriMatches('http://[::1]:51004/cb', 'http://[::1]:1/cb', true)).toBe(true);
  });

  it.each([
    'http://localhost:51004/cb?x=1',
    'https://127.0.0.1:51004/cb?x=1',
    'http://127.0.0.2:51004/cb?x=1',
    'http://127.1:51004/cb?x=1',
    'http://0x7f000001:51004/cb?x=1',
    'http://2130706433:51004/cb?x=1',
    'http://127.0.0.1:51004/other?x=1',
    'http://127.0.0.1:51004/cb',
    'http://127.0.0.1:51004/cb?x=1&y=2',
    'http://127.0.0.1:0/cb?x=1',
    'http://127.0.0.1:080/cb?x=1',
    'http://127.0.0.1:70000/cb?x=1',
    'http://127.0.0.1:/cb?x=1',
    'http://[::1]:51004/cb?x=1',
    'http://a@127.0.0.1:51004/cb?x=1',
  ])('A-041 rejects %s', (uri) => {
    expect(redirectUriMatches(uri, registered, true)).toBe(false);
  });

  it('A-041 makes no exception for localhost, nor for clients that are not native', () => {
    expect(redirectUriMatches('http://localhost:5/cb', 'http://localhost:4/cb', true)).toBe(false);
    expect(redirectUriMatches('http://127.0.0.1:5/cb', 'http://127.0.0.1/cb', false)).toBe(false);
  });
});

describe('authorization responses', () => {
  it('A-038 keeps a registered query and appends to it', () => {
    expect(withQuery('https://a.example/cb?b=%2F', { code: 'x y', state: undefined })).toBe(
      'https://a.example/cb?b=%2F&code=x%20y',
    );
    expect(withQuery('https://a.example/cb', { code: 'x' })).toBe('https://a.example/cb?code=x');
  });

  it('A-076 names the redirect target for form-action', () => {
    expect(formActionSource('https://a.example:8443/cb?x')).toBe('https://a.example:8443');
    expect(formActionSource('http://127.0.0.1:51004/cb')).toBe('http://127.0.0.1:51004');
    expect(formActionSource('http://[::1]:51004/cb')).toBe('http:');
    expect(formActionSource('com.example.app:/cb')).toBe('com.example.app:');
  });
});

import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../settings/settings.ts';
import { settingProblems } from './read-settings.ts';

describe('headers.response in gateway.yaml', () => {
  const problemsOf = (response: object): string =>
    [{ response }, { subgraphs: { a: { response } } }]
      .map((headers) => settingsSchema.safeParse({ headers }).error)
      .map((error) => (error ? settingProblems(error).join() : 'none'))
      .join(' | ');

  it.each([
    'Connection',
    'keep-alive',
    'transfer-encoding',
    'upgrade',
    'te',
    'trailer',
    'proxy-authenticate',
    'content-type',
    'content-length',
    'content-encoding',
    'content-security-policy',
    'host',
    'date',
    'server',
    'cache-control',
    'age',
    'expires',
    'etag',
    'vary',
    'pragma',
    'surrogate-control',
    'cdn-cache-control',
    'access-control-allow-origin',
    'timing-allow-origin',
    'cross-origin-opener-policy',
    'origin',
    'authorization',
    'www-authenticate',
    'cookie',
    'x-user-id',
    'trellis-user-context',
    'client-cert',
    'location',
    'refresh',
    'retry-after',
    'x-request-id',
    'clear-site-data',
    'x-accel-redirect',
    'X-Sendfile',
  ])('%s is rejected with a sentence of its own', (name) => {
    const problem = problemsOf({ [name]: 'last' });
    expect(problem.match(/is no header that subgraphs may send to clients/g)).toHaveLength(2);
    expect(problem).toContain('headers.subgraphs.a.response');
  });

  it.each(['set-cookie', 'Set-Cookie'])('%s is append and nothing else', (name) => {
    expect(problemsOf({ [name]: 'append' })).toBe('none | none');
    for (const merge of ['first', 'last'])
      expect(problemsOf({ [name]: merge }).match(/set-cookie must be append/g)).toHaveLength(2);
  });

  it('takes first, last and append', () => {
    expect(problemsOf({ 'x-a': 'first', 'x-b': 'last', 'x-c': 'append' })).toBe('none | none');
    expect(problemsOf({ 'x-a': 'all' })).toContain('must be first, last or append');
  });
});

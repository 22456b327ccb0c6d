import { describe, expect, it } from 'vitest';
import { isLoopbackHost } from './loopback-host.ts';

describe('RFC 6890 §2.2: the host', () => {
  it.each(['localhost', '::1', '[::1]', '127.0.0.1', '127.255.0.9'])('%s is this machine', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each(['127.999.1.1', '127.0.0.256', '127.0.0.1.example', '128.0.0.1', 'localhost.example', ''])(
    '"%s" may be another machine',
    (host) => {
      expect(isLoopbackHost(host)).toBe(false);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { canonicalEmail } from './canonical-email.ts';

describe('The canonical spelling of an e-mail address', () => {
  it.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ada@example.com'],
    ['ada@Müller.example', 'ada@xn--mller-kva.example'],
    ['ada@XN--MLLER-KVA.example', 'ada@xn--mller-kva.example'],
    ['ΣΟΦΟΣ@example.com', 'σοφοσ@example.com'],
    ['no address', 'no address'],
    ['a@b@example.com', 'a@b@example.com'],
    ['a@not a domain', 'a@not a domain'],
  ])('of %j is %j', (typed, canonical) => {
    expect(canonicalEmail(typed)).toBe(canonical);
  });

  it('M6: keeps İ (U+0130) and i apart', () => {
    expect(canonicalEmail('v\u0130@example.com')).not.toBe(canonicalEmail('vi@example.com'));
  });

  it('is its own canonical spelling, for every character of the basic plane', () => {
    for (let code = 1; code < 0x1_00_00; code += 1) {
      if (code >= 0xd8_00 && code <= 0xdf_ff) continue;
      const once = canonicalEmail(`a${String.fromCharCode(code)}b@example.com`);
      expect(canonicalEmail(once), code.toString(16)).toBe(once);
    }
  });
});

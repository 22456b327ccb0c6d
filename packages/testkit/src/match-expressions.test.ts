import { describe, expect, it } from 'vitest';

describe('A regular expression in what a test expects', () => {
  it('stands for the texts that it matches, at any depth, and for no others', () => {
    const run = { error: 'INVALID_KEY: no', lines: ['one', 'two'] };
    expect(run).toMatchObject({ error: /^INVALID_KEY/, lines: [/^o/, 'two'] });
    expect(run).not.toMatchObject({ error: /^NOT_FOUND/ });
    expect(run).not.toMatchObject({ lines: ['one', /^x/] });
    expect(run).toEqual({ error: /no$/, lines: ['one', /^t/] });
    expect(run).not.toEqual({ error: /yes$/, lines: ['one', 'two'] });
  });
});

import { describe, expect, it } from 'vitest';
import { withoutProofs } from './without-proofs.ts';

describe('npm test', () => {
  it('leaves the proofs to npm run prove', () => {
    expect(withoutProofs(['gateway/src/load'])).toEqual(['gateway/src/load', '--project', '!proofs']);
  });

  it.each(['--project=unit', '--root', '--config=other.ts'])('lets %s choose', (arg) => {
    expect(withoutProofs([arg, 'x'])).toEqual([arg, 'x']);
  });
});

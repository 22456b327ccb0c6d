import { describe, expect, it } from 'vitest';
import { withoutProofs } from './without-proofs.ts';

describe('npm test', () => {
  it('leaves the proofs to npm run prove', () => {
    expect(withoutProofs(['gateway/src/limits'])).toEqual(['gateway/src/limits', '--project', '!proofs']);
  });

  it.each(['--project=unit', '--root', '--config=other.ts'])('lets %s choose', (arg) => {
    expect(withoutProofs([arg, 'x'])).toEqual([arg, 'x']);
  });
});

import { describe, expect, it } from 'vitest';
import config from '../../vitest.config.ts';
import { LONG_TESTS } from '../prove/prove-command.ts';
import { chooseRuns, isOfRepository } from './choose-runs.ts';

describe('npm test', () => {
  it('leaves the proofs to npm run prove', () => {
    expect(chooseRuns(['gateway/src/load'])).toEqual([['gateway/src/load', '--project', '!proofs']]);
  });

  it.each(['--project=unit', '--root', '--config=other.ts'])('lets %s choose', (arg) => {
    expect(chooseRuns([arg, 'x'])).toEqual([[arg, 'x']]);
  });

  it('runs every project but those of npm run prove once when nothing is chosen', () => {
    const { projects = [] } = config.test ?? {};
    const names = projects.map((project) => (project as { test: { name: string } }).test.name); // as it writes them
    const chosen = chooseRuns([]).flatMap((args) => args.filter((arg) => arg !== '--project'));
    expect([...chosen, 'proofs', LONG_TESTS].toSorted()).toEqual(names.toSorted());
  });

  it('compiles programs of this repository, and of no other root', () => {
    expect([[], ['--project', 'e2e'], ['--root', 'x'], ['--config=y']].map(isOfRepository)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

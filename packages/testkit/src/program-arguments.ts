import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Set to `compiled` by `npm test` and for the long tests, which have compiled all packages before; without it, programs run from their source. */
export const PROGRAMS_VARIABLE = 'TEST_PROGRAMS';

/** How programs of this repository run in this run of tests. */
export function programBuild(): 'compiled' | 'source' {
  return process.env[PROGRAMS_VARIABLE] === 'compiled' ? 'compiled' : 'source';
}

/** V8 makes fast code of what runs often later than by default: most programs of tests end before that has paid. */
const FOR_A_MOMENT = ['--interrupt-budget=600000'];

/**
 * Arguments of node that run a program of this repository as tests do: compiled where the run of tests has compiled it, as that
 * halves what a start takes. How `npm start` starts is tested by tests that start it so.
 *
 * @param source for example `/repository/gateway/src/main.ts`
 */
export function programArguments(source: string): readonly string[] {
  if (programBuild() === 'compiled')
    return [...FOR_A_MOMENT, source.replace(/\/src\/(?!.*\/src\/)/, '/dist/').replace(/\.ts$/, '.js')];
  const loader = pathToFileURL(createRequire(source).resolve('tsx')).href;
  return ['--conditions=trellis-source', '--import', loader, source];
}

/** Arguments of vitest. */
type Arguments = readonly string[];

/**
 * The runs of all tests, which go on side by side. Those that share a platform follow one another, and mostly wait for it: the others
 * use the processors meanwhile. One run of vitest can't do both at a time.
 */
const ALL: readonly Arguments[] = [
  ['--project', 'unit', '--project', 'processes'],
  ['--project', 'e2e'],
];

/**
 * What `npm test` runs by its arguments: without any, all but the proofs and the long tests, which `npm run prove` runs; else one run, also without them
 * unless the arguments choose a project themselves. A folder of another root has no projects to choose from.
 */
export function chooseRuns(args: Arguments): readonly Arguments[] {
  if (args.length === 0) return ALL;
  const chooses = args.some((arg) => /^--(project|root|config)(=|$)/.test(arg));
  return [chooses ? args : [...args, '--project', '!proofs']];
}

/** Whether the tests are those of this repository, whatever files of it are chosen. */
export function isOfRepository(args: Arguments): boolean {
  return !args.some((arg) => /^--(root|config)(=|$)/.test(arg));
}

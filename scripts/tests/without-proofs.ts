/**
 * Arguments of `npm test` that leave out the proofs, which `npm run prove` runs, unless the arguments choose a project
 * themselves. A folder of another root has no projects to choose from.
 */
export function withoutProofs(args: readonly string[]): readonly string[] {
  const chooses = args.some((arg) => /^--(project|root|config)(=|$)/.test(arg));
  return chooses ? args : [...args, '--project', '!proofs'];
}

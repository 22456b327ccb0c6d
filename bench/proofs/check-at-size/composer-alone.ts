import { inRepository } from './installed-program.ts';
import { run } from './measured-run.ts';

/** Composes the subgraphs of a folder, and says how many milliseconds the composer took. */
const ALONE = `
const { createRequire } = require('node:module');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const load = createRequire(${JSON.stringify(inRepository('packages/composition/package.json'))});
const { composeServices } = load('@apollo/composition');
const { parse } = load('graphql');
const [folder] = process.argv.slice(1);
const files = readdirSync(folder).filter((file) => /^s\\d+\\.graphql$/.test(file));
const read = (file) => parse(readFileSync(join(folder, file), 'utf8'));
const services = files.map((file) => ({ name: file.slice(0, -'.graphql'.length), url: '', typeDefs: read(file) }));
const startedAt = performance.now();
const { errors } = composeServices(services);
if (errors) throw errors[0];
process.stdout.write(String(performance.now() - startedAt));
`;

/**
 * What Apollo's composer takes for the same subgraphs in a cold process that does nothing else: how fast this machine is.
 *
 * @param folder has them, as `s0.graphql` and so on
 * @returns seconds, the median of three
 */
export async function composerAlone(folder: string): Promise<number> {
  const taken: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const { output } = await run(['--eval', ALONE, '--', folder]);
    taken.push(Number(output) / 1_000);
  }
  return taken.toSorted((left, right) => left - right)[1] ?? Number.NaN;
}

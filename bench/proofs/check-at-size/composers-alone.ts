import { inRepository } from './installed-program.ts';
import { run } from './measured-run.ts';

/** Composes the subgraphs of a folder by both composers, each in a thread, and says how many milliseconds that took. */
const ALONE = `
const { createRequire } = require('node:module');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { isMainThread, Worker, workerData } = require('node:worker_threads');
const load = createRequire(${JSON.stringify(inRepository('packages/composition/package.json'))});
const { parse } = load('graphql');
function compose(folder, composer) {
  const { composeServices } = load(composer);
  const files = readdirSync(folder).filter((file) => /^s\\d+\\.graphql$/.test(file));
  const read = (file) => parse(readFileSync(join(folder, file), 'utf8'));
  const { errors } = composeServices(files.map((file) => ({ name: file.split('.')[0], url: '', typeDefs: read(file) })));
  if (errors) throw errors[0];
}
if (isMainThread) {
  const [program, folder] = process.argv.slice(1);
  const startedAt = performance.now();
  const second = new Worker(program, { eval: true, workerData: folder });
  const ended = new Promise((resolve, reject) => second.on('error', reject).on('exit', resolve));
  compose(folder, '@apollo/composition');
  ended.then(() => process.stdout.write(String(performance.now() - startedAt)));
} else compose(workerData, '@theguild/federation-composition');
`;

/**
 * What both composers take for the same subgraphs, side by side, in a cold process that does nothing else: how fast this machine is with
 * two threads.
 *
 * @param folder has them, as `s0.graphql` and so on
 * @returns seconds, the median of three
 */
export async function composersAlone(folder: string): Promise<number> {
  const taken: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const { output } = await run(['--eval', ALONE, '--', ALONE, folder]);
    taken.push(Number(output) / 1_000);
  }
  return taken.toSorted((left, right) => left - right)[1] ?? Number.NaN;
}

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Measurement } from '@trellis/bench/content';

const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const plansPage = fileURLToPath(new URL('../../bench/results/content-plans.md', import.meta.url));

const PLANS_INTRODUCTION = `# Plans of PostgreSQL

The plan of each request of [Performance](../../docs/performance.md#content-at-size), as \`npm run measure -- --write\` found it.
`;

/** Puts the figures of a measurement into `docs/performance.md`, and the plans into `bench/results/content-plans.md`. */
export function writePerformancePage(measurements: readonly Measurement[], requests: number): void {
  writeSection('measure', formatTable(measurements, requests));
  writeFileSync(plansPage, formatPlans(measurements));
}

/**
 * Puts text between the two marks that a program has in `docs/performance.md`.
 *
 * @throws Error when they are missing
 */
export function writeSection(program: 'bench' | 'measure', section: string): void {
  const [opening, closing] = [`<!-- npm run ${program} begins -->`, `<!-- npm run ${program} ends -->`];
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [text.indexOf(opening), text.indexOf(closing)];
  if (begin < 0 || end < begin) throw new Error(`${page} has no place for figures: ${opening} … ${closing}`);
  writeFileSync(page, `${text.slice(0, begin + opening.length)}\n\n${section}\n${text.slice(end)}`);
}

/** What the figures were measured on. */
export function describeMachine(): string {
  return `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}`;
}

/** The figures as a table in Markdown. */
export function formatTable(measurements: readonly Measurement[], requests: number): string {
  const rows = measurements.map(
    ({ name, service, statements, p50Ms, p99Ms, databaseMs }) =>
      `| ${name} | ${service} | ${statements} | ${p50Ms} | ${p99Ms} | ${databaseMs} |`,
  );
  return [
    `${requests} requests of each kind in turn, on ${describeMachine()}.`,
    '',
    '| Request | Subgraph | Statements | p50 ms | p99 ms | of it in the database, ms |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** The plan of each request, as a page in Markdown. */
export function formatPlans(measurements: readonly Measurement[]): string {
  const sections = measurements.map(
    ({ name, plans }) => `## ${name}\n\n\`\`\`text\n${plans.join('\n\n')}\n\`\`\`\n`,
  );
  return [PLANS_INTRODUCTION, ...sections].join('\n');
}

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Measurement } from '@trellis/content-load';

const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

/** Puts the figures of a measurement into `docs/performance.md`. */
export function writePerformancePage(measurements: readonly Measurement[], requests: number): void {
  writeSection('measure', formatSection(measurements, requests));
}

/**
 * Puts text between the two marks that a program has in `docs/performance.md`.
 *
 * @throws Error when they are not there
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

/** The figures as a table, and the plans, in Markdown. */
export function formatSection(measurements: readonly Measurement[], requests: number): string {
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
    ...measurements.map(formatPlans),
  ].join('\n');
}

function formatPlans({ name, plans }: Measurement): string {
  return `<details><summary>Plan: ${name}</summary>\n\n\`\`\`text\n${plans.join('\n\n')}\n\`\`\`\n\n</details>\n`;
}

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Measurement } from '@trellis/content-load';

const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const [BEGIN, END] = ['<!-- npm run measure begins -->', '<!-- npm run measure ends -->'];

/** Puts the figures of a measurement between the two marks of `docs/performance.md`. */
export function writePerformancePage(measurements: readonly Measurement[], requests: number): void {
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${page} has no place for figures: ${BEGIN} … ${END}`);
  const section = formatSection(measurements, requests);
  writeFileSync(page, `${text.slice(0, begin + BEGIN.length)}\n\n${section}\n${text.slice(end)}`);
}

/** The figures as a table, and the plans, in Markdown. */
export function formatSection(measurements: readonly Measurement[], requests: number): string {
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}`;
  const rows = measurements.map(
    ({ name, service, statements, p50Ms, p99Ms, databaseMs }) =>
      `| ${name} | ${service} | ${statements} | ${p50Ms} | ${p99Ms} | ${databaseMs} |`,
  );
  return [
    `${requests} requests of each kind in turn, on ${machine}.`,
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

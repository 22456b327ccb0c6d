import { readFile } from 'node:fs/promises';
import {
  excerptOf,
  formatDiagnostic,
  isReportForm,
  printable,
  writeReport,
  type FileProblems,
} from '@trellis/composition';
import { documentationOf } from './code-pages.ts';
import { emptyReport } from './empty-report.ts';
import type { Output } from './output.ts';

/** Writes what is wrong with files that were given, each problem with its line: in the form of the report, where it has one. */
export async function writeProblems(
  { problems }: FileProblems,
  { kind, format }: { readonly kind: string; readonly format: string },
  output: Output,
): Promise<void> {
  const names = [...new Set(problems.flatMap(({ locations }) => locations.map(({ source }) => source)))];
  const texts = names.map(async (name) => [name, await readFile(name, 'utf8').catch(() => '')] as const);
  const sources = new Map(await Promise.all(texts));
  if (format !== 'text' && isReportForm(format)) {
    const diagnostics = problems.map((problem) => ({ ...problem, severity: 'error' as const }));
    const report = { ...emptyReport(kind === 'compose' ? 'compose' : 'check'), diagnostics };
    (kind === 'compose' ? output.error : output.out)(writeReport(report, format, sources));
    return;
  }
  for (const problem of problems) {
    const excerpt = problem.locations.slice(0, 1).flatMap((place) => excerptOf(place, sources));
    output.error([printable(formatDiagnostic(problem)), ...excerpt, ''].join('\n'));
  }
  output.error(documentationOf(problems.map(({ code }) => code)));
}

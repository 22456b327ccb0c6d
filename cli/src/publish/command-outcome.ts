import {
  escapeMarkdown,
  formatDiagnostic,
  isReportForm,
  printable,
  printableLine,
  writeHtmlPage,
  writeReport,
  writeText,
  type HtmlSection,
  type Report,
  type ReportForm,
  type Sources,
} from '@trellis/composition';
import type { Output } from '../supergraph/output.ts';
import { writeFileAtomically } from '../supergraph/write-file-atomically.ts';

/** What a command of the registry has found or done. Every form of output is made of it. */
export interface CommandOutcome {
  readonly exit: number;
  /** For users, a line each; names from outside are escaped when they are written. */
  readonly lines: readonly string[];
  /** Whether a file with it is for its owner alone. @default false */
  readonly isSecret?: boolean;
  /** For programs. */
  readonly document: Readonly<Record<string, unknown>>;
  /** What a check said, for commands that check. */
  readonly report?: { readonly report: Report; readonly sources: Sources } | undefined;
  /** What a page of it shows below its lines. @default the report */
  readonly sections?: readonly HtmlSection[] | undefined;
}

/** Where the result of a command goes. */
export interface OutputOptions {
  readonly format?: string;
  readonly output?: string;
}

/** Version of the JSON that commands of the registry write; what only adds members leaves it as it is. */
export const OUTCOME_FORMAT = 'trellis-registry-outcome/1';

/** Whether a text is a form of output. */
export function isOutcomeForm(text: string): text is ReportForm {
  return isReportForm(text);
}

/** Writes an outcome in a form, to a file or the standard output. */
export async function writeOutcome(
  outcome: CommandOutcome,
  { format = 'text', output: file }: OutputOptions,
  output: Output,
): Promise<void> {
  const text = outcomeText(outcome, format);
  if (file === undefined) output.out(format === 'text' ? (output.paint?.(text) ?? text) : text);
  else await writeFileAtomically(file, text, outcome.isSecret === true ? 0o600 : undefined);
}

function outcomeText(outcome: CommandOutcome, format: string): string {
  const { exit, lines, document, report } = outcome;
  if (format === 'json') {
    const whole = { format: OUTCOME_FORMAT, exit, ...document, ...(report && { report: report.report }) };
    return `${JSON.stringify(whole, undefined, 2)}\n`;
  }
  if (format === 'html') return pageOf(outcome);
  if (format === 'markdown')
    return `${lines.map((line) => `${escapeMarkdown(line)}  \n`).join('')}${reported(report, format)}`;
  if (format === 'text')
    return `${textOf(report)}${lines.map((line) => `${printableLine(line)}\n`).join('')}`;
  return reported(report, format) || writeReport(EMPTY, isReportForm(format) ? format : 'json', new Map());
}

/** Names from outside are escaped by the page. */
function pageOf({ lines, report, sections }: CommandOutcome): string {
  const [title = 'Registry', ...others] = lines;
  const ofReport = report ? [{ heading: 'Changes', lines: others, report: report.report }] : [];
  const shown = sections ?? (report ? ofReport : [{ heading: 'Result', lines }]);
  return writeHtmlPage(title, shown);
}

const EMPTY: Report = { command: 'check', diagnostics: [], changes: [], plans: [], openRootFields: [] };

function reported(report: CommandOutcome['report'], format: string): string {
  return report && isReportForm(format) ? writeReport(report.report, format, report.sources) : '';
}

/** Hints are left out: a release has them. */
function textOf(given: CommandOutcome['report']): string {
  if (!given) return '';
  const diagnostics = given.report.diagnostics.filter(({ severity }) => severity !== 'hint');
  const isComposed = !diagnostics.some(({ severity }) => severity === 'error');
  const lines = diagnostics.map(
    ({ severity, ...one }) => `${severity}: ${printable(formatDiagnostic(one))}\n`,
  );
  const isCompared = isComposed && given.report.command === 'check';
  return `${lines.join('')}${isCompared ? writeText(given.report) : ''}`;
}

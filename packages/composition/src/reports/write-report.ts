import type { Sources } from './excerpt.ts';
import type { Report } from './report.ts';
import { writeGithub } from './write-github.ts';
import { writeHtml } from './write-html.ts';
import { writeJson } from './write-json.ts';
import { writeJunit } from './write-junit.ts';
import { writeMarkdown } from './write-markdown.ts';
import { writeOrderSvg } from './write-order-svg.ts';
import { writeSarif } from './write-sarif.ts';
import { writeDiagnostics, writeText } from './write-text.ts';

/** The forms of a report. */
export type ReportForm = 'text' | 'json' | 'junit' | 'github' | 'sarif' | 'markdown' | 'html' | 'svg';

const writers: Readonly<Record<ReportForm, (report: Report, sources: Sources) => string>> = {
  text: (report, sources) => writeDiagnostics(report, sources) + writeText(report),
  json: writeJson,
  junit: writeJunit,
  github: writeGithub,
  sarif: writeSarif,
  markdown: writeMarkdown,
  html: writeHtml,
  svg: writeOrderSvg,
};

/** The names of the forms. */
export const reportForms: readonly string[] = Object.keys(writers);

/** Whether a text names a form. */
export function isReportForm(text: string): text is ReportForm {
  return Object.hasOwn(writers, text);
}

/** Writes a report in a form. */
export function writeReport(report: Report, form: ReportForm, sources: Sources): string {
  return writers[form](report, sources);
}

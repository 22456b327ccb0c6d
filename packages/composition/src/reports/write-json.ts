import { countReport, outcomeOf, REPORT_FORMAT, type Report } from './report.ts';

/** The whole report as JSON: the form that the others are made of, for programs. */
export function writeJson(report: Report): string {
  const document = {
    format: REPORT_FORMAT,
    outcome: outcomeOf(report),
    counts: countReport(report),
    ...report,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

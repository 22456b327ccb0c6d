import { formatLocation } from '../diagnostic.ts';
import { printable } from './excerpt.ts';
import type { Report } from './report.ts';

/** JUnit's XML: a test case for each diagnostic and change; one that passed where there is none. */
export function writeJunit(report: Report): string {
  const cases = [...diagnosticCases(report), ...changeCases(report)];
  const all = cases.length === 0 ? [testCase(report.command, 'everything', undefined)] : cases;
  const failures = all.filter((text) => text.includes('<failure')).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="trellis ${report.command}" tests="${all.length}" failures="${failures}">`,
    `  <testsuite name="trellis ${report.command}" tests="${all.length}" failures="${failures}">`,
    ...all,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function diagnosticCases({ diagnostics }: Report): readonly string[] {
  return diagnostics.map(({ code, message, locations, severity }) => {
    const place = locations[0] ? formatLocation(locations[0]) : '';
    return testCase(code, place || code, severity === 'error' ? `${place}: ${message}` : undefined);
  });
}

function changeCases({ changes }: Report): readonly string[] {
  return changes.map(({ code, coordinate, verdict, message, action, approval }) => {
    const isFailure = verdict === 'breaking' && !approval;
    return testCase(code, coordinate, isFailure ? `${message} ${action}` : undefined);
  });
}

function testCase(kind: string, name: string, failure: string | undefined): string {
  const open = `    <testcase classname="${escapeXml(kind)}" name="${escapeXml(name)}"`;
  if (failure === undefined) return `${open}/>`;
  return `${open}><failure message="${escapeXml(failure)}"/></testcase>`;
}

/** For attributes and text alike; characters that XML has no form for are written out. */
export function escapeXml(text: string): string {
  return printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;')
    .replaceAll('\n', '&#10;');
}

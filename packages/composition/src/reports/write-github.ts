import type { Diagnostic } from '../diagnostic.ts';
import { printable } from './excerpt.ts';
import type { Report, ReportedChange } from './report.ts';

/** Workflow commands of GitHub Actions: annotations at the lines of a pull request. */
export function writeGithub({ diagnostics, changes }: Report): string {
  const lines = [
    ...diagnostics.map((diagnostic) => annotation(levels[diagnostic.severity], diagnostic)),
    ...changes
      .filter(({ verdict }) => verdict !== 'safe')
      .map((change) => annotation(levelOf(change), change)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

type Level = 'error' | 'warning' | 'notice';

const levels: Readonly<Record<'error' | 'warning' | 'hint', Level>> = {
  error: 'error',
  warning: 'warning',
  hint: 'notice',
};

function levelOf({ verdict, approval }: ReportedChange): Level {
  if (approval) return 'notice';
  return verdict === 'breaking' ? 'error' : 'warning';
}

function annotation(level: Level, { code, message, locations: [place] }: Diagnostic): string {
  const properties = [
    ...(place ? [`file=${property(place.source)}`] : []),
    ...(place?.line === undefined ? [] : [`line=${place.line}`]),
    ...(place?.column === undefined ? [] : [`col=${place.column}`]),
    `title=${property(code)}`,
  ];
  return `::${level} ${properties.join(',')}::${data(message)}`;
}

/** A line break would begin another command. */
function data(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

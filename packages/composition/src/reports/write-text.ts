import { formatDiagnostic } from '../diagnostic.ts';
import { excerptOf, printable, printableLine, type Sources } from './excerpt.ts';
import {
  countReport,
  type Report,
  type ReportedChange,
  type ReportedPlan,
  type ReportedWindow,
} from './report.ts';

/** Errors and hints, one a line with an excerpt: for the standard error. */
export function writeDiagnostics({ diagnostics }: Report, sources: Sources): string {
  const blocks = diagnostics.map(({ severity, ...diagnostic }) => [
    `${severity}: ${printable(formatDiagnostic(diagnostic))}`,
    ...(severity === 'hint'
      ? []
      : diagnostic.locations.slice(0, 1).flatMap((place) => excerptOf(place, sources))),
  ]);
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('');
}

/** Changes, the worst first, and what they come to. */
export function writeText(report: Report): string {
  const shown = (['breaking', 'unknown', 'dangerous'] as const).flatMap((verdict) =>
    report.changes.filter((change) => change.verdict === verdict && !change.approval).flatMap(writeChange),
  );
  const approved = report.changes.filter(({ approval }) => approval).map(writeApproved);
  const lines = [
    ...shown,
    ...approved,
    ...(report.window ? writeWindow(report.window) : []),
    ...report.plans.map(writePlan),
    writeSummary(report),
    ...(report.openRootFields.length === 0
      ? []
      : [`open to anonymous callers: ${report.openRootFields.join(', ')}`]),
  ];
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}

function writeChange({
  verdict,
  coordinate,
  code,
  message,
  operations,
  share,
  contract,
  action,
}: ReportedChange): readonly string[] {
  const place = contract === undefined ? coordinate : `${contract}: ${coordinate}`;
  const percent = share === undefined ? '' : `, ${(share * 100).toFixed(1)} % of requests`;
  return [
    `${verdict}: ${place}: ${code}: ${message}`,
    ...(operations.length === 0
      ? []
      : [
          `  used by ${counted(operations.length, 'operation')}${percent}: ${operations
            .slice(0, 3)
            .map(
              ({ name, id, clients }) =>
                `${name ?? id.slice(0, 12)}${clients.length > 0 ? ` (${clients.slice(0, 3).join(', ')})` : ''}`,
            )
            .join('; ')}`,
        ]),
    ...(verdict === 'breaking' && operations.length > 0 ? [`  ${action}`] : []),
  ];
}

function writeApproved({ coordinate, code, approval }: ReportedChange): string {
  return `approved: ${coordinate}: ${code}: by ${approval?.owner ?? ''} until ${approval?.expires ?? ''}: ${approval?.reason ?? ''}`;
}

function writeWindow({ verdict, steps, operations, probes, ownSchemas }: ReportedWindow): readonly string[] {
  const schemas = ownSchemas ? '' : ', against schemas extracted from the supergraph before';
  const proof = `proved with ${counted(operations, 'recorded operation')} and ${counted(probes, 'probe')}${schemas}`;
  if (verdict === 'any-order') return [];
  const title = verdict === 'ordered' ? 'order' : 'not in one step';
  return [`${title}: ${steps.map((step, index) => `${index + 1} ${step}`).join(' · ')} (${proof})`];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function writePlan({ operation, requests, depth, cost }: ReportedPlan): string {
  const part = (name: string, [before, after]: readonly [number, number]): string[] =>
    before === after ? [] : [`${name} ${before} → ${after}`];
  return `plan: ${operation}: ${[...part('requests', requests), ...part('depth', depth), ...part('cost', cost)].join(', ')}`;
}

function writeSummary(report: Report): string {
  const { breaking, dangerous, unknown, approved } = countReport(report);
  return [
    `${breaking} breaking`,
    `${dangerous} dangerous`,
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(approved > 0 ? [`${approved} approved`] : []),
  ].join(', ');
}

import { formatLocation } from '../diagnostic.ts';
import { printable } from './excerpt.ts';
import { countReport, outcomeOf, type Report, type ReportedChange, type ReportedPlan } from './report.ts';

const MAX_ROWS = 100;

/** One comment for a pull request: what came of it, changes with clients and shares, the order of deployment, plans. */
export function writeMarkdown(report: Report): string {
  const changes = report.changes.filter(({ verdict }) => verdict !== 'safe');
  return [
    `### Supergraph ${report.command}: ${outcomeOf(report)}`,
    '',
    summaryOf(report),
    ...table(
      ['Where', 'Code', 'What'],
      report.diagnostics.map(({ code, message, locations: [place] }) => [
        place ? formatLocation(place) : '',
        code,
        message,
      ]),
    ),
    ...table(
      ['Verdict', 'Coordinate', 'Change', 'Operations and clients', 'Action'],
      changes.map(changeCells),
    ),
    ...orderOf(report),
    ...table(['Operation', 'Requests', 'Depth', 'Cost'], report.plans.map(planCells)),
    '',
  ].join('\n');
}

/** How many changes of each verdict, in one sentence. */
export function summaryOf(report: Report): string {
  const { breaking, dangerous, unknown, safe, approved, errors } = countReport(report);
  return `${errors} errors, ${breaking} breaking, ${dangerous} dangerous, ${unknown} unknown, ${safe} safe, ${approved} approved.`;
}

/** A change as the cells of a row. */
export function changeCells(change: ReportedChange): readonly string[] {
  const { verdict, coordinate, code, message, operations, action, share, approval, contract } = change;
  const percent =
    share === undefined || operations.length === 0 ? '' : ` (${(share * 100).toFixed(1)} % of requests)`;
  const used = operations.slice(0, 5).map(({ name, id, clients, lastUsed }) => {
    const last = lastUsed === undefined ? '' : `, last ${lastUsed.slice(0, 10)}`;
    return `${name ?? id.slice(0, 12)}${clients.length > 0 ? `: ${clients.slice(0, 5).join(', ')}${last}` : ''}`;
  });
  const more = operations.length > 5 ? [`and ${operations.length - 5} more`] : [];
  return [
    approval ? `${verdict}, approved by ${approval.owner}` : verdict,
    contract === undefined ? coordinate : `${coordinate} (contract ${contract})`,
    `${code}: ${message}`,
    [...used, ...more].join('; ') + percent,
    action,
  ];
}

/** How a plan differs, as the cells of a row. */
export function planCells({ operation, requests, depth, cost }: ReportedPlan): readonly string[] {
  const arrow = ([before, after]: readonly [number, number]): string =>
    before === after ? `${before}` : `${before} → ${after}`;
  return [operation, arrow(requests), arrow(depth), arrow(cost)];
}

function orderOf({ window }: Report): readonly string[] {
  if (!window) return [];
  if (window.verdict === 'any-order') return ['', '**Order of deployment:** any.'];
  const title = window.verdict === 'ordered' ? 'Order of deployment' : 'Not in one step';
  return [
    '',
    `**${title}:**`,
    '',
    ...window.steps.map((step, index) => `${index + 1}. ${escapeMarkdown(step)}`),
  ];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const shown = rows.slice(0, MAX_ROWS).map((cells) => line(cells.map(escapeMarkdown)));
  const more = rows.length > MAX_ROWS ? ['', `and ${rows.length - MAX_ROWS} more.`] : [];
  return ['', line(heads), line(heads.map(() => '---')), ...shown, ...more];
}

/** Names come from schemas and clients: none of them makes a link, a tag, a mention or a cell. */
export function escapeMarkdown(text: string): string {
  return printable(text)
    .replaceAll('\n', ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replaceAll(/[\\`*_[\]|#!~]/g, String.raw`\$&`)
    .replaceAll('://', ':&#47;&#47;');
}

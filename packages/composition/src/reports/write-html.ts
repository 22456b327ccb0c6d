import { formatLocation } from '../diagnostic.ts';
import { countReport, outcomeOf, type Report } from './report.ts';
import { escapeXml } from './write-junit.ts';
import { changeCells, planCells, summaryOf } from './write-markdown.ts';
import { writeOrderSvg } from './write-order-svg.ts';

/** A part of a page: a report, or lines of text. */
export interface HtmlSection {
  /** What stands behind the `#` of an address that leads to it. @default its position */
  readonly id?: string;
  readonly heading: string;
  readonly lines?: readonly string[] | undefined;
  readonly report?: Report | undefined;
}

/** Rows of a table. */
const MAX_ROWS = 500;

const STYLE = `
  :root { color-scheme: light dark; --paper: #ffffff; --text: #1a1a1a; --muted: #5f6b7a; --bad: #a3161b; --warn: #7a4b00; --good: #1b6b33; }
  @media (prefers-color-scheme: dark) { :root { --paper: #16191d; --text: #f1f1f1; --muted: #a5b0bd; --bad: #ff9a96; --warn: #ffc766; --good: #7fd69b; } }
  body { margin: 0 auto; max-width: 64rem; padding: 1rem; background: var(--paper); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
  svg { max-width: 100%; height: auto; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; min-width: 40rem; width: 100%; overflow-wrap: break-word; }
  th, td { text-align: start; vertical-align: top; padding: .4rem .75rem .4rem 0; border-block-end: 1px solid var(--muted); }
  .breaking, .failed { color: var(--bad); font-weight: 600; } .dangerous, .unknown, .undecided { color: var(--warn); font-weight: 600; }
  .safe, .passed { color: var(--good); }`;

/**
 * A page that stands by itself: no script, nothing loaded from anywhere. It reads in light and dark, and on narrow screens.
 *
 * @param sections the newest first
 */
export function writeHtmlPage(title: string, sections: readonly HtmlSection[]): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body><main>',
    `<h1>${escapeXml(title)}</h1>`,
    ...sections.flatMap((section, index) => sectionLines(section, index)),
    '</main></body>',
    '</html>',
    '',
  ].join('\n');
}

/** A report as a page: changes with verdicts, the order of deployment as a picture, plans. */
export function writeHtml(report: Report): string {
  return writeHtmlPage(`Supergraph ${report.command}`, [{ heading: `Result: ${outcomeOf(report)}`, report }]);
}

function sectionLines(section: HtmlSection, index: number): readonly string[] {
  const { id = `section-${index}`, heading, lines = [], report } = section;
  return [
    `<section aria-labelledby="${id}">`,
    `<h2 id="${id}">${escapeXml(heading)}</h2>`,
    ...lines.map((line) => `<p>${escapeXml(line)}</p>`),
    ...(report ? reportLines(report, id) : []),
    '</section>',
  ];
}

function reportLines(report: Report, id: string): readonly string[] {
  const { errors } = countReport(report);
  return [
    `<p class="${outcomeOf(report)}">${escapeXml(summaryOf(report))}</p>`,
    ...(report.window && errors === 0 ? [writeOrderSvg(report).trimEnd()] : []),
    ...table(`${id}-changes`, 'Changes', {
      heads: ['Verdict', 'Coordinate', 'Change', 'Operations and clients', 'Action'],
      rows: report.changes.map(changeCells),
    }),
    ...table(`${id}-problems`, 'Problems', {
      heads: ['Where', 'Code', 'What'],
      rows: report.diagnostics
        .filter(({ severity }) => severity !== 'hint')
        .map(({ code, message, locations: [place] }) => [place ? formatLocation(place) : '', code, message]),
    }),
    ...table(`${id}-plans`, 'Plans that differ', {
      heads: ['Operation', 'Requests', 'Depth', 'Cost'],
      rows: report.plans.map(planCells),
    }),
  ];
}

interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function table(id: string, heading: string, { heads, rows }: Table): readonly string[] {
  if (rows.length === 0) return [];
  const more = rows.length - MAX_ROWS;
  return [
    `<h3 id="${id}">${escapeXml(heading)}</h3>`,
    `<div class="scroll" role="group" aria-labelledby="${id}" tabindex="0"><table>`,
    `<thead><tr>${heads.map((head) => `<th scope="col">${escapeXml(head)}</th>`).join('')}</tr></thead>`,
    '<tbody>',
    ...rows.slice(0, MAX_ROWS).map((cells) => `<tr>${cells.map(cell).join('')}</tr>`),
    '</tbody></table></div>',
    ...(more > 0 ? [`<p>and ${more} more.</p>`] : []),
  ];
}

const VERDICTS = ['breaking', 'dangerous', 'unknown', 'safe'];

/** A verdict has its colour beside its word. */
function cell(text: string, column: number): string {
  const kind = column === 0 ? VERDICTS.find((verdict) => text.startsWith(verdict)) : undefined;
  return `<td${kind === undefined ? '' : ` class="${kind}"`}>${escapeXml(text)}</td>`;
}

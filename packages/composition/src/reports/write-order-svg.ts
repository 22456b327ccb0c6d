import { escapeXml } from './write-junit.ts';
import type { Report, ReportedWindow } from './report.ts';

const WIDTH = 560;
const MARGIN = 16;
const PADDING = 12;
const LINE = 20;
const GAP = 12;
/** An arrow from stage to stage. */
const ARROW = 30;
const MAX_CHARACTERS = 64;
/** Reasons in a step may be long: the rest stands in the table of changes. */
const MAX_LINES = 4;

/** Steps that may be made in any order among themselves, before the next stage begins. */
interface Stage {
  readonly kind: 'deploy' | 'publish' | 'any';
  readonly steps: readonly string[];
}

/** A step with its place. */
interface Box {
  readonly kind: Stage['kind'];
  readonly lines: readonly string[];
  readonly top: number;
  readonly height: number;
}

const STYLE = `
  svg { color-scheme: light dark; font-family: system-ui, sans-serif; font-size: 14px; }
  .paper { fill: #ffffff; } .text { fill: #1a1a1a; } .line { stroke: #5f6b7a; stroke-width: 2; fill: none; }
  .deploy { fill: #eef3fb; stroke: #2f5fa8; } .publish { fill: #e7f5ea; stroke: #1f7a3a; } .any { fill: #f3f3f3; stroke: #5f6b7a; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d; } .text { fill: #f1f1f1; } .line { stroke: #a5b0bd; }
    .deploy { fill: #1c2a40; stroke: #7ea8e8; } .publish { fill: #173322; stroke: #6cc489; } .any { fill: #25292e; stroke: #a5b0bd; }
  }`;

/**
 * The order of deployment of a change as a picture: what is deployed before publishing, publishing, what is deployed after it. Steps
 * of a stage depend on none of each other.
 */
export function writeOrderSvg({ window }: Pick<Report, 'window'>): string {
  const title = titleOf(window);
  const stages = stagesOf(window);
  const boxes = placed(stages, MARGIN + LINE + GAP);
  const last = boxes.at(-1);
  const height = (last ? last.top + last.height : MARGIN + LINE) + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escapeXml([title, ...(window?.steps ?? [])].join('; '))}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="100%" height="100%"/>`,
    `<text class="text" x="${MARGIN}" y="${MARGIN + 14}" font-weight="600">${escapeXml(title)}</text>`,
    ...boxes.map((box, index) => drawBox(box, boxes[index - 1])),
    '</svg>',
    '',
  ].join('\n');
}

function titleOf(window: ReportedWindow | undefined): string {
  if (!window) return 'No order of deployment was looked for';
  if (window.verdict === 'any-order') return 'Deploy and publish in any order';
  return window.verdict === 'ordered' ? 'Order of deployment' : 'Not in one step: deploy twice';
}

function stagesOf(window: ReportedWindow | undefined): readonly Stage[] {
  if (!window || window.steps.length === 0) return [];
  const at = window.steps.indexOf('publish');
  const stages: readonly Stage[] = [
    { kind: 'deploy', steps: window.steps.slice(0, Math.max(at, 0)) },
    { kind: 'publish', steps: at < 0 ? [] : ['publish'] },
    { kind: 'deploy', steps: window.steps.slice(at + 1) },
  ];
  return stages.filter(({ steps }) => steps.length > 0);
}

function placed(stages: readonly Stage[], top: number): readonly Box[] {
  const boxes: Box[] = [];
  let at = top;
  for (const [index, { kind, steps }] of stages.entries()) {
    if (index > 0) at += ARROW - GAP;
    for (const step of steps) {
      const isFree = step.endsWith('(or at any other time)');
      const lines = wrap(step);
      const height = lines.length * LINE + 2 * PADDING - 4;
      boxes.push({ kind: isFree ? 'any' : kind, lines, top: at, height });
      at += height + GAP;
    }
  }
  return boxes;
}

function drawBox({ kind, lines, top, height }: Box, before: Box | undefined): string {
  const end = before ? before.top + before.height : top;
  const arrow =
    top - end > GAP ? `<path class="line" d="M${WIDTH / 2} ${end} V${top - 2} m-5 -6 l5 6 l5 -6"/>` : '';
  const texts = lines.map(
    (line, index) =>
      `<text class="text" x="${MARGIN + PADDING}" y="${top + PADDING + 12 + index * LINE}">${escapeXml(line)}</text>`,
  );
  return `${arrow}<rect class="${kind}" x="${MARGIN}" y="${top}" width="${WIDTH - 2 * MARGIN}" height="${height}" rx="6"/>${texts.join('')}`;
}

/** Words in lines; the last says with … that there is more. */
function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').map((one) => shorten(one))) {
    if (line !== '' && line.length + word.length >= MAX_CHARACTERS) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES - 1), `${lines[MAX_LINES - 1]} …`];
}

function shorten(word: string): string {
  return word.length < MAX_CHARACTERS ? word : `${word.slice(0, MAX_CHARACTERS - 2)}…`;
}

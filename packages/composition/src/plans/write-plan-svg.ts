import { escapeXml } from '../reports/write-junit.ts';
import type { ExplainedOperation, ExplainedStep } from './explained-operation.ts';

const BOX = { width: 220, height: 56 } as const;
const GAP = { across: 40, down: 20 } as const;
const MARGIN = 20;
const HEAD = 48;
const LINE = 18;
const MAX_CHARACTERS = 30;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly detail: string;
}

interface Drawing {
  readonly boxes: readonly Box[];
  readonly lines: readonly (readonly [from: Box, to: Box])[];
  readonly width: number;
  readonly height: number;
  /** What the next step begins after. */
  readonly last: readonly Box[];
}

/** A plan as a picture: requests from left to right, those at once above one another. */
export function writePlanSvg({
  name,
  type,
  cost,
  requests,
  depth,
  rights,
  step,
}: ExplainedOperation): string {
  const { boxes, lines, width, height } = step ? draw(step, MARGIN, MARGIN + HEAD, []) : NOTHING;
  const title = `${type} ${name ?? '(unnamed)'}: ${requests} requests, ${depth} one after the other, cost ${cost}`;
  const needs =
    rights.length === 0 ? ['open to all callers'] : rights.map((right) => `callers need ${right}`);
  const below = MARGIN + HEAD + height + GAP.down;
  const size = { width: Math.max(width + 2 * MARGIN, 480), height: below + needs.length * LINE + MARGIN };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img" font-family="system-ui, sans-serif">`,
    `  <title>${escapeXml(title)}</title>`,
    `  <rect width="100%" height="100%" fill="#ffffff"/>`,
    `  <text x="${MARGIN}" y="${MARGIN + 18}" font-size="16" fill="#1a1a1a">${escapeXml(title)}</text>`,
    ...lines.map(([from, to]) => drawLine(from, to)),
    ...boxes.flatMap(drawBox),
    ...needs.map(
      (need, index) =>
        `  <text x="${MARGIN}" y="${below + index * LINE}" font-size="12" fill="#44505f">${escapeXml(need)}</text>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

const NOTHING: Drawing = { boxes: [], lines: [], width: 0, height: 0, last: [] };

function draw(step: ExplainedStep, x: number, y: number, after: readonly Box[]): Drawing {
  if (step.kind === 'fetch') {
    const box = { x, y, title: step.subgraph, detail: step.path.length === 0 ? 'root' : step.path.join('.') };
    return { boxes: [box], lines: after.map((from) => [from, box] as const), ...BOX, last: [box] };
  }
  return step.kind === 'sequence'
    ? drawSequence(step.steps, x, y, after)
    : drawParallel(step.steps, x, y, after);
}

function drawSequence(steps: readonly ExplainedStep[], x: number, y: number, after: readonly Box[]): Drawing {
  return steps.reduce<Drawing>(
    (done, step) => {
      const at = done.width === 0 ? x : x + done.width + GAP.across;
      const next = draw(step, at, y, done.last);
      return {
        boxes: [...done.boxes, ...next.boxes],
        lines: [...done.lines, ...next.lines],
        width: at - x + next.width,
        height: Math.max(done.height, next.height),
        last: next.last,
      };
    },
    { ...NOTHING, last: after },
  );
}

function drawParallel(steps: readonly ExplainedStep[], x: number, y: number, after: readonly Box[]): Drawing {
  return steps.reduce<Drawing>((done, step) => {
    const at = done.height === 0 ? y : y + done.height + GAP.down;
    const next = draw(step, x, at, after);
    return {
      boxes: [...done.boxes, ...next.boxes],
      lines: [...done.lines, ...next.lines],
      width: Math.max(done.width, next.width),
      height: at - y + next.height,
      last: [...done.last, ...next.last],
    };
  }, NOTHING);
}

function drawLine(from: Box, to: Box): string {
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  return `  <line x1="${x1}" y1="${y1}" x2="${to.x}" y2="${to.y + BOX.height / 2}" stroke="#5f6b7a" stroke-width="1.5"/>`;
}

function drawBox({ x, y, title, detail }: Box): readonly string[] {
  return [
    `  <rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6" fill="#eef3fb" stroke="#2f5fa8"/>`,
    `  <text x="${x + 12}" y="${y + 24}" font-size="15" fill="#1a1a1a">${escapeXml(shorten(title))}</text>`,
    `  <text x="${x + 12}" y="${y + 44}" font-size="12" fill="#44505f">${escapeXml(shorten(detail))}</text>`,
  ];
}

function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}…`;
}

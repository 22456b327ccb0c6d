import { drawOrder, type PicturedStep } from '@trellis/release-verdict';
import { printable } from './excerpt.ts';
import type { Report, ReportedWindow } from './report.ts';

const WIDTH = 560;

const STYLE = `
  .order { color-scheme: light dark; font-family: system-ui, sans-serif; font-size: 14px; }
  .order .paper { fill: #ffffff; } .order .text { fill: #1a1a1a; } .order .line { stroke: #5f6b7a; stroke-width: 2; fill: none; }
  .order .deploy { fill: #eef3fb; stroke: #2f5fa8; } .order .publish { fill: #e7f5ea; stroke: #1f7a3a; } .order .any { fill: #f3f3f3; stroke: #5f6b7a; }
  @media (prefers-color-scheme: dark) {
    .order .paper { fill: #16191d; } .order .text { fill: #f1f1f1; } .order .line { stroke: #a5b0bd; }
    .order .deploy { fill: #1c2a40; stroke: #7ea8e8; } .order .publish { fill: #173322; stroke: #6cc489; } .order .any { fill: #25292e; stroke: #a5b0bd; }
  }`;

/** The order of deployment of a change as a picture. */
export function writeOrderSvg({ window }: Pick<Report, 'window'>): string {
  const steps = (window?.steps ?? []).map(picturedStep);
  const picture = { title: titleOf(window), steps, more: (count: number) => `and ${count} more` };
  return drawOrder(picture, { width: WIDTH, style: STYLE });
}

function picturedStep(step: string): PicturedStep {
  const text = printable(step);
  if (step === 'publish') return { kind: 'publish', text };
  return { kind: step.endsWith('(or at any other time)') ? 'any' : 'deploy', text };
}

function titleOf(window: ReportedWindow | undefined): string {
  if (!window) return 'No order of deployment was looked for';
  if (window.verdict === 'any-order') return 'Deploy and publish in any order';
  return window.verdict === 'ordered' ? 'Order of deployment' : 'Not in one step: deploy twice';
}

import type { CanaryState, DurationBound, SideFigures, StoppedCanary } from '../../gateways/gateway-state.ts';
import type { ConsoleSection } from '../../pages/console-page.ts';
import type { Cell } from '../../pages/table.ts';
import type { GraphTexts } from '../../pages/texts/graph-texts.ts';
import type { GatewayJson } from '../admin/gateways.ts';
import type { ScreenTools } from './screens.ts';

/** The canary of each gateway that has one beside its main version, and those that were stopped. */
export function canarySections(
  tools: ScreenTools,
  gateways: readonly GatewayJson[],
): readonly ConsoleSection[] {
  const { graph: words } = tools.texts;
  const running = gateways.flatMap(({ name, state }, index) =>
    state?.canary ? [runningSection(`canary-${index}`, name, state.canary, words)] : [],
  );
  const rows = gateways.flatMap(({ name, state }) =>
    (state?.stopped ?? []).map((stop) => stoppedRow(tools, name, stop)),
  );
  return rows.length === 0 ? running : [...running, stoppedSection(words, rows)];
}

function runningSection(id: string, gateway: string, canary: CanaryState, words: GraphTexts): ConsoleSection {
  const { evidence, stopsAt } = canary;
  const both = (figure: string, of: (side: SideFigures) => string): readonly string[] => [
    figure,
    of(canary.main),
    of(canary.canary),
  ];
  return {
    id,
    heading: words.canaryAt(gateway),
    table: {
      labelledBy: id,
      columns: [words.figure, words.main, canary.variant === '' ? words.canary : canary.variant],
      rows: [
        [words.share, percent(1 - canary.share), percent(canary.share)],
        both(words.callers, ({ callers }) => String(callers)),
        both(words.operations, ({ operations }) => String(operations)),
        both(words.failed, ({ failed, operations }) => `${failed} (${percent(failed / (operations || 1))})`),
        both(words.half, ({ half }) => durationOf(half)),
        both(words.nearlyAll, ({ nearlyAll }) => durationOf(nearlyAll)),
        [words.againstFailed, '', words.failedEvidence(evidence.failed.toFixed(1), stopsAt)],
        [words.againstSlow, '', words.slowEvidence(evidence.slow.toFixed(1), stopsAt)],
      ],
    },
  };
}

function stoppedSection(words: GraphTexts, rows: readonly (readonly Cell[])[]): ConsoleSection {
  const { gateway, at, variants, release, why, main, canary } = words;
  return {
    id: 'stopped',
    heading: words.stopped,
    table: { labelledBy: 'stopped', columns: [gateway, at, variants, release, why, main, canary], rows },
  };
}

function stoppedRow(
  { texts: { graph: words }, time }: ScreenTools,
  gateway: string,
  { at, variant, release, reason, main, canary }: StoppedCanary,
): readonly Cell[] {
  const why = reason === 'failed' ? words.whyFailed : reason === 'slow' ? words.whySlow : words.elsewhere;
  return [{ code: gateway }, time(at), variant, { code: release.slice(0, 12) }, why, main, canary];
}

/** Of a part: `12.5 %`. */
export function percent(part: number): string {
  return `${Number((100 * part).toFixed(2))} %`;
}

/** `5 ms`, or `> 10 s`; nothing where nothing was observed. */
function durationOf(bound: DurationBound | undefined): string {
  if (!bound) return '';
  const { seconds, isBeyond } = bound;
  const time = seconds < 1 ? `${Number((1_000 * seconds).toPrecision(3))} ms` : `${seconds} s`;
  return isBeyond ? `> ${time}` : time;
}

import type { CanaryState, GraphState, SideFigures } from './graph-state.ts';
import { boundOf, shareOf, timestampOf, type Section } from './state-table.ts';
import type { StateTexts } from './state-texts.ts';

/** As much of a digest as one reads. */
const DIGITS = 12;

/** The history of the registry that the gateway follows, the newest record first, and since when each has been served here. */
export function recordsOf({ record: served, records }: GraphState, { records: words }: StateTexts): Section {
  const rows = records.map((record) => {
    const { sequence: number, recorded: at, servedSince, isServed } = record;
    const since = servedSince === 0 ? words.notHere : timestampOf(servedSince);
    const state = isServed ? `${words.now}: ${since}` : since;
    return [
      isServed && served?.contract !== undefined ? `${number}+${served.contract}` : String(number),
      at,
      record.action,
      record.actor,
      record.release.slice(0, DIGITS),
      record.variants,
      state,
    ];
  });
  const { sequence, recorded, action, actor, release, variants, here } = words;
  const columns = [sequence, recorded, action, actor, release, variants, here];
  return { id: 'records', heading: words.title, columns, rows };
}

/** The canary beside the main version, and what speaks against it. */
export function canarySectionOf({ canary }: GraphState, texts: StateTexts): Section {
  const { canary: words } = texts;
  const columns = [words.figure, words.main, canary?.variant ?? words.title];
  const section = { id: 'canary', heading: words.title, columns };
  return { ...section, rows: canary ? canaryRows(canary, texts) : [] };
}

function canaryRows(state: CanaryState, texts: StateTexts): readonly (readonly string[])[] {
  const { canary: words } = texts;
  const { share, main, canary, evidence, stopsAt } = state;
  const both = (figure: string, of: (side: SideFigures) => string): readonly string[] => [
    figure,
    of(main),
    of(canary),
  ];
  return [
    [words.share, percentOf(1 - share), percentOf(share)],
    both(words.callers, ({ callers }) => String(callers)),
    both(words.operations, ({ operations }) => String(operations)),
    both(texts.failed, ({ failed, operations }) => shareOf(failed, operations)),
    both(texts.half, ({ half }) => boundOf(half, texts)),
    both(words.nearlyAll, ({ nearlyAll }) => boundOf(nearlyAll, texts)),
    [words.againstFailed, '', words.failedEvidence(evidence.failed.toFixed(1), stopsAt)],
    [words.againstSlow, '', words.slowEvidence(evidence.slow.toFixed(1), stopsAt)],
  ];
}

function percentOf(part: number): string {
  return `${Number((100 * part).toFixed(2))} %`;
}

/** Canaries that were stopped, and why. */
export function stoppedCanaries({ stopped }: GraphState, { canary: words }: StateTexts): Section {
  const rows = stopped.map(({ at, variant, release, reason, evidence, main, canary }) => {
    const why = reason === 'failed' ? words.failed : reason === 'slow' ? words.slow : words.elsewhere;
    return [timestampOf(at), variant, release.slice(0, DIGITS), why, evidence, main, canary];
  });
  const columns = [
    words.at,
    words.variant,
    words.release,
    words.why,
    words.strength,
    words.main,
    words.title,
  ];
  return { id: 'stopped', heading: words.stopped, columns, rows };
}

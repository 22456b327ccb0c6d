import { SUFFICIENT_EVIDENCE, type Side } from '../../variants/compare-callers.ts';
import type { Samples } from './metric-samples.ts';
import { boundOf, shareOf, timestampOf, type Section } from './state-table.ts';
import type { StateTexts } from './state-texts.ts';

/** As much of a digest as one reads. */
const DIGITS = 12;

/** The history of the registry that the gateway follows, the newest record first, and since when each has been served here. */
export function recordsOf(samples: Samples, { records: words }: StateTexts): Section {
  const served = samples.of('trellis_gateway_supergraph_info')[0]?.labels['sequence'];
  const rows = samples
    .of('trellis_gateway_registry_record_served_seconds')
    .toSorted((a, b) => Number(b.labels['sequence']) - Number(a.labels['sequence']))
    .map(({ labels, value }) => {
      const { sequence = '', recorded = '', action = '', actor = '', release = '', variants = '' } = labels;
      const since = value === 0 ? words.notHere : timestampOf(value);
      const state = sequence === served ? `${words.now}: ${since}` : since;
      return [sequence, recorded, action, actor, release.slice(0, DIGITS), variants, state];
    });
  const { sequence, recorded, action, actor, release, variants, here } = words;
  const columns = [sequence, recorded, action, actor, release, variants, here];
  return { id: 'records', heading: words.title, columns, rows };
}

const OPERATIONS = 'trellis_gateway_canary_operations_total';

/** The canary beside the main version, and what speaks against it. */
export function canaryOf(samples: Samples, texts: StateTexts): Section {
  const { canary: words } = texts;
  const share = samples.of('trellis_gateway_canary_share')[0];
  const columns = [words.figure, words.main, share?.labels['variant'] ?? words.title];
  const section = { id: 'canary', heading: words.title, columns };
  if (!share) return { ...section, rows: [] };
  const both = (figure: string, of: (side: Side) => string): readonly string[] => [
    figure,
    of('main'),
    of('canary'),
  ];
  const all = (side: Side): number => samples.sum(OPERATIONS, { side });
  const duration = (side: Side): ReturnType<Samples['quantiles']> =>
    samples.quantiles('trellis_gateway_canary_duration_seconds', { side });
  const percent = (side: Side): number => 100 * (side === 'canary' ? share.value : 1 - share.value);
  const evidence = (kind: string): string =>
    words.evidence(samples.sum('trellis_gateway_canary_evidence', { kind }).toFixed(1), SUFFICIENT_EVIDENCE);
  return {
    ...section,
    rows: [
      both(words.share, (side) => `${Number(percent(side).toFixed(2))} %`),
      both(words.callers, (side) => String(samples.sum('trellis_gateway_canary_callers', { side }))),
      both(words.operations, (side) => String(all(side))),
      both(texts.failed, (side) => shareOf(samples.sum(OPERATIONS, { side, outcome: 'failed' }), all(side))),
      both(texts.half, (side) => boundOf(duration(side).half, texts)),
      both(words.nearlyAll, (side) => boundOf(duration(side).nearlyAll, texts)),
      [words.againstFailed, '', evidence('failed')],
      [words.againstSlow, '', evidence('slow')],
    ],
  };
}

/** Canaries that were stopped, and why. */
export function stoppedCanaries(samples: Samples, { canary: words }: StateTexts): Section {
  const rows = samples
    .of('trellis_gateway_canary_stopped_seconds')
    .toSorted((a, b) => b.value - a.value)
    .map(({ labels, value }) => {
      const { variant = '', release = '', reason = '', evidence = '', main = '', canary = '' } = labels;
      const why = reason === 'failed' ? words.failed : reason === 'slow' ? words.slow : words.elsewhere;
      return [timestampOf(value), variant, release.slice(0, DIGITS), why, evidence, main, canary];
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

import { formatLogName } from '@trellis/registry';
import type { Caller } from '../identity/caller.ts';
import type { ActiveGenerations, GenerationRouting, RoutedRequest } from '../pipeline/services.ts';
import type { ServedGenerations, ServedVariant } from '../registry/served-generations.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { CanaryTrial, type TrialOptions } from './canary-trial.ts';
import type { PreviewTokens } from './preview-tokens.ts';
import { createMatcher, type VariantMatcher } from './variant-matcher.ts';

/** Settings of {@link VariantRouting}. */
export interface RoutingOptions extends Pick<
  TrialOptions,
  'operationCacheOf' | 'onWorse' | 'onEvents' | 'figures'
> {
  readonly previews: PreviewTokens;
  /** Whether canaries may stop themselves, now. */
  readonly aborts: () => boolean;
}

interface CompiledVariant extends VariantMatcher {
  readonly variant: ServedVariant;
}

/** Chooses the generation of each request, by the variants that a registry names. Without variants it takes no part. */
export class VariantRouting implements GenerationRouting {
  /** Absent where there is one generation, as nearly always. */
  active: ActiveVariants | undefined;
  readonly #options: RoutingOptions;
  #served: ServedGenerations | undefined;
  #isClosed = false;

  constructor(options: RoutingOptions) {
    this.#options = options;
  }

  /** Loads what is served now. A trial of the same release at the same share goes on. */
  serve(served: ServedGenerations): void {
    if (this.#isClosed) return;
    const before = { served: this.#served, trial: this.active?.trial };
    const next = served.variants.length > 0 ? new ActiveVariants(served, this.#options, before) : undefined;
    this.#served = served;
    this.active = next;
    if (before.trial !== next?.trial) before.trial?.end();
    next?.trial?.begin();
  }

  /** Compares nothing any more, whatever is served. */
  close(): void {
    this.#isClosed = true;
    this.active?.trial?.end();
    this.active = undefined;
  }
}

/** What was served, and compared, until now. */
interface RoutedBefore {
  /** Absent at a start. */
  readonly served: ServedGenerations | undefined;
  readonly trial: CanaryTrial | undefined;
}

/** The variants of one record. */
export class ActiveVariants implements ActiveGenerations {
  readonly trial: CanaryTrial | undefined;
  readonly varyOn: readonly string[];
  readonly #main: Supergraph;
  readonly #compiled: readonly CompiledVariant[];

  constructor(served: ServedGenerations, options: RoutingOptions, before: RoutedBefore) {
    const log = formatLogName(served.record);
    this.#main = served.main;
    this.#compiled = served.variants.map((variant) => ({
      ...createMatcher(variant, log, options.previews),
      variant,
    }));
    this.varyOn = served.variants.flatMap(({ rule }) => (rule.kind === 'header' ? [rule.header] : []));
    this.trial = trialOf(served, this.#compiled, options, before);
  }

  choose(request: RoutedRequest, caller: Caller): Supergraph | Promise<Supergraph> {
    return this.#chooseFrom(0, request, caller);
  }

  /** The first that matches. */
  #chooseFrom(first: number, request: RoutedRequest, caller: Caller): Supergraph | Promise<Supergraph> {
    for (let index = first; index < this.#compiled.length; index += 1) {
      const { matches, variant } = this.#compiled[index] as CompiledVariant; // within its length
      const matched = matches(request, caller);
      if (matched === true) return variant.supergraph;
      if (matched !== false)
        return matched.then((isMatch) =>
          isMatch ? variant.supergraph : this.#chooseFrom(index + 1, request, caller),
        );
    }
    return this.#main;
  }
}

/** The first canary that may stop itself is compared with the main generation. */
function trialOf(
  served: ServedGenerations,
  compiled: readonly CompiledVariant[],
  options: RoutingOptions,
  before: RoutedBefore,
): CanaryTrial | undefined {
  if (!options.aborts()) return undefined;
  const canary = compiled.find(({ variant, callers }) => variant.abortsItself && callers !== undefined);
  // The release of the main generation is not worse than itself.
  if (!canary?.callers || canary.variant.supergraph === served.main) return undefined;
  const { variant, callers } = canary;
  const compared = {
    main: served.main,
    canary: variant.supergraph,
    variant,
    share: shareOf(compiled, variant),
    callers,
  };
  if (before.trial?.compares(compared) === true) return before.trial;
  return new CanaryTrial({ ...options, ...compared, isNew: isNewAfter(before, variant) });
}

/** A process that starts finds canaries of any age. Another share, or another main version, does not make one new. */
function isNewAfter({ served }: RoutedBefore, { name, release }: ServedVariant): boolean {
  if (!served) return false;
  return !served.variants.some((one) => one.name === name && one.release.digest === release.digest);
}

/** The share of a canary among the callers that are on its side or on the main one. Each variant takes its part of what is left. */
function shareOf(compiled: readonly CompiledVariant[], canary: ServedVariant): number {
  let [left, ofCanary] = [1, 0];
  for (const { variant } of compiled) {
    if (variant.rule.kind !== 'percent') continue;
    const part = left * Math.min(1, variant.rule.percent / 100);
    if (variant === canary) ofCanary = part;
    left -= part;
  }
  return ofCanary / (ofCanary + left);
}

import { fillIn } from '../settings/fill-in.ts';
import {
  subgraphRequests,
  type SubgraphRequestSettings,
  type SubgraphTrafficSettings,
  type TrafficSettings,
} from '../settings/traffic.ts';
import { own } from '../own-property.ts';

/** The rules of each subgraph, by its name. */
export type TrafficRulesOf = (subgraph: string) => SubgraphRequestSettings;

/** Joins what holds for all subgraphs and what holds for some. */
export function compileTrafficRules(settings: TrafficSettings): TrafficRulesOf {
  const { subgraphs, ...all } = settings;
  const compiled = new Map<string, SubgraphRequestSettings>();
  return (subgraph) => {
    let rules = compiled.get(subgraph);
    if (!rules) {
      const special = own(subgraphs, subgraph);
      compiled.set(subgraph, (rules = special ? rulesFor(all, special) : all));
    }
    return rules;
  };
}

/** A group of its own replaces that of all, but for the concurrency limit, whose members do one by one. */
function rulesFor(all: SubgraphRequestSettings, own: SubgraphTrafficSettings): SubgraphRequestSettings {
  return fillIn(subgraphRequests, {
    timeoutMs: own.timeoutMs ?? all.timeoutMs,
    responseBytes: own.responseBytes ?? all.responseBytes,
    retries: own.retries ?? all.retries ?? false,
    breaker: own.breaker ?? all.breaker ?? false,
    concurrency: { ...all.concurrency, ...given(own.concurrency) },
    hedging: own.hedging ?? all.hedging,
  });
}

/** Members that are `undefined` must not hide a default. */
function given<T extends object>(settings: T | undefined): { [Name in keyof T]: NonNullable<T[Name]> } {
  const entries = Object.entries(settings ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]: NonNullable<T[Name]> }; // the rest was taken out
}

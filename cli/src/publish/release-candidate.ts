import { type ContractRules, type SubgraphSchema } from '@trellis/composition';
import {
  canonicalContract,
  declaredContracts,
  formatLogName,
  isSubgraphName,
  RegistryError,
  type DeclaredContract,
  type LogName,
  type PublishedSubgraph,
} from '@trellis/registry';
import { z } from 'zod';
import type { PublishedGraph } from '../registry/published-graph.ts';

/** A subgraph as it is to be published. */
export interface SubgraphToPublish {
  readonly name: string;
  readonly sdl: string;
  /** What diagnostics show as its file. */
  readonly source: string;
  /** @default as published before */
  readonly routingUrl?: string | undefined;
  /** Where and how gateways subscribe to it. @default as published before, else as for queries */
  readonly subscriptionUrl?: string | undefined;
  readonly subscriptionProtocol?: string | undefined;
  readonly version?: string | undefined;
  readonly commit?: string | undefined;
}

/** How the contracts of a graph change. */
export interface ContractsChange {
  readonly set: readonly ContractRules[];
  readonly remove: readonly string[];
  /** Whether `set` is all of them. */
  readonly isWhole: boolean;
}

/** How a graph changes. */
export interface GraphPublication {
  readonly set: readonly SubgraphToPublish[];
  readonly remove: readonly string[];
  /** Whether `set` is the whole graph. */
  readonly isWhole: boolean;
  /** @default as published before */
  readonly contracts?: ContractsChange | undefined;
}

/** A subgraph of the release that may come. */
export interface CandidateSubgraph extends SubgraphSchema, Pick<PublishedSubgraph, 'version' | 'commit'> {
  /** As published before; a new address takes the place of the old. */
  readonly routing: PublishedSubgraph['routing'];
}

/** The release that may come. */
export interface ReleaseCandidate {
  /** By name. */
  readonly subgraphs: readonly CandidateSubgraph[];
  readonly contracts: readonly DeclaredContract[];
}

/**
 * What a release becomes by a change.
 *
 * @throws RegistryError NOT_FOUND, NO_CONTRACT, INVALID_NAME
 */
export function candidateOf(
  base: PublishedGraph | undefined,
  change: GraphPublication,
  log: LogName,
): ReleaseCandidate {
  return {
    subgraphs: subgraphsAfter(base, change, log),
    contracts: contractsAfter(base, change.contracts, log),
  };
}

function contractsAfter(
  base: PublishedGraph | undefined,
  change: ContractsChange | undefined,
  log: LogName,
): readonly DeclaredContract[] {
  const before = base?.contracts ?? [];
  const { set = [], remove = [], isWhole = false } = change ?? {};
  const unknown = remove.find((name) => !before.some((contract) => contract.name === name));
  if (unknown !== undefined)
    throw new RegistryError(
      'NO_CONTRACT',
      `${formatLogName(log)} has no contract ${JSON.stringify(unknown)}.`,
    );
  const named = new Set([...set.map(({ name }) => name), ...remove]);
  const left = isWhole ? [] : before.filter(({ name }) => !named.has(name));
  const read = declaredContracts.safeParse([...left, ...set]);
  if (!read.success)
    throw new RegistryError('INVALID_NAME', `The contracts are invalid: ${z.prettifyError(read.error)}`);
  return read.data.map(canonicalContract).toSorted((first, second) => (first.name < second.name ? -1 : 1));
}

function subgraphsAfter(
  base: PublishedGraph | undefined,
  { set, remove, isWhole }: GraphPublication,
  log: LogName,
): readonly CandidateSubgraph[] {
  const before = new Map((base?.subgraphs ?? []).map((schema) => [schema.name, schema]));
  const published = new Map((base?.published.subgraphs ?? []).map((subgraph) => [subgraph.name, subgraph]));
  const unknown = remove.find((name) => !before.has(name));
  if (unknown !== undefined)
    throw new RegistryError('NOT_FOUND', `${formatLogName(log)} has no subgraph ${JSON.stringify(unknown)}.`);
  const named = new Set([...set.map(({ name }) => name), ...remove]);
  const left = isWhole ? [] : [...before.values()].filter(({ name }) => !named.has(name));
  return [
    ...left.flatMap((schema) => {
      const known = published.get(schema.name);
      return known
        ? [{ ...schema, routing: known.routing, version: known.version, commit: known.commit }]
        : [];
    }),
    ...set.map((subgraph) => withRouting(subgraph, published.get(subgraph.name))),
  ].toSorted((first, second) => (first.name < second.name ? -1 : 1));
}

function withRouting(subgraph: SubgraphToPublish, known: PublishedSubgraph | undefined): CandidateSubgraph {
  const { name, sdl, source, version, commit } = subgraph;
  if (!isSubgraphName(name))
    throw new RegistryError(
      'INVALID_NAME',
      `${JSON.stringify(name)} is no name of a subgraph: a letter, then at most 63 letters, digits, _ or -.`,
    );
  const url = subgraph.routingUrl ?? known?.routing.url;
  if (url === undefined)
    throw new RegistryError('INVALID_NAME', `The subgraph ${name} is new: it needs --routing-url URL.`);
  if (!isUrl(url, /^https?:$/))
    throw new RegistryError(
      'INVALID_NAME',
      `${JSON.stringify(url)} is no http or https URL of the subgraph ${name}.`,
    );
  const { subscriptionUrl, subscriptionProtocol } = subgraph;
  if (subscriptionUrl !== undefined && !isUrl(subscriptionUrl, /^(https?|wss?):$/))
    throw new RegistryError(
      'INVALID_NAME',
      `${JSON.stringify(subscriptionUrl)} is no http, https, ws or wss URL for subscriptions to ${name}.`,
    );
  if (subscriptionProtocol !== undefined && !SUBSCRIPTION_PROTOCOLS.includes(subscriptionProtocol))
    throw new RegistryError(
      'INVALID_NAME',
      `Subscriptions to ${name} are by one of ${SUBSCRIPTION_PROTOCOLS.join(', ')}.`,
    );
  const routing = {
    url,
    subscriptionUrl: subscriptionUrl ?? known?.routing.subscriptionUrl,
    subscriptionProtocol: subscriptionProtocol ?? known?.routing.subscriptionProtocol,
  };
  return { name, sdl, source, routingUrl: url, routing, version, commit };
}

/** What gateways know. */
const SUBSCRIPTION_PROTOCOLS: readonly string[] = ['auto', 'websocket', 'sse', 'multipart', 'callback'];

/** Gateways would take another one, and fail with each request. */
function isUrl(text: string, protocols: RegExp): boolean {
  return URL.canParse(text) && protocols.test(new URL(text).protocol);
}

/** Whether a release is what would be published. The version and the commit of a build are no change: a pipeline that runs again publishes nothing. */
export function isPublished(base: PublishedGraph, { subgraphs, contracts }: ReleaseCandidate): boolean {
  const tagged = base.contracts.map(canonicalContract);
  return hasSubgraphs(base, subgraphs) && JSON.stringify(tagged) === JSON.stringify(contracts);
}

function hasSubgraphs(
  { subgraphs, published: { subgraphs: known } }: PublishedGraph,
  candidate: readonly CandidateSubgraph[],
): boolean {
  const published = new Map(subgraphs.map((subgraph) => [subgraph.name, subgraph.sdl]));
  const routed = new Map(known.map(({ name, routing }) => [name, routing]));
  return (
    published.size === candidate.length &&
    candidate.every(({ name, sdl, routing }) => {
      const before = routed.get(name);
      return (
        published.get(name) === sdl &&
        before?.url === routing.url &&
        before.subscriptionUrl === routing.subscriptionUrl &&
        before.subscriptionProtocol === routing.subscriptionProtocol
      );
    })
  );
}

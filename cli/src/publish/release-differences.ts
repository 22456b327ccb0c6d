import { canonicalContract, type PublishedContract, type PublishedRelease } from '@trellis/registry';

/** What differs of a subgraph between two releases. */
export interface SubgraphDifference {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'schema changed' | 'routing changed';
}

/** What differs of a contract. */
export interface ContractDifference {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'tags changed' | 'schema changed';
}

/** What differs between two releases, beside what a check says of it. */
export interface ReleaseDifferences {
  readonly subgraphs: readonly SubgraphDifference[];
  readonly contracts: readonly ContractDifference[];
}

/** Compares two releases by their digests, addresses and tags. */
export function compareReleases(from: PublishedRelease, to: PublishedRelease): ReleaseDifferences {
  return { subgraphs: subgraphDifferences(from, to), contracts: contractDifferences(from, to) };
}

/** A line for each difference. */
export function linesOf({ subgraphs, contracts }: ReleaseDifferences): readonly string[] {
  return [
    ...subgraphs.map(({ name, change }) => `${change}: ${name}`),
    ...contracts.map(({ name, change }) => `contract ${change}: ${name}`),
  ];
}

function contractDifferences(
  { contracts: from }: PublishedRelease,
  { contracts: to }: PublishedRelease,
): readonly ContractDifference[] {
  const old = new Map(from.map((contract) => [contract.name, contract]));
  const names = new Set(to.map(({ name }) => name));
  const removed = from.filter(({ name }) => !names.has(name));
  return [
    ...removed.map(({ name }) => ({ name, change: 'removed' as const })),
    ...to.flatMap((contract) => differencesOf(old.get(contract.name), contract)),
  ];
}

function differencesOf(
  known: PublishedContract | undefined,
  contract: PublishedContract,
): readonly ContractDifference[] {
  const { name } = contract;
  if (!known) return [{ name, change: 'added' }];
  const tags = [known, contract].map((one) => JSON.stringify(canonicalContract(one)));
  return [
    ...(tags[0] === tags[1] ? [] : [{ name, change: 'tags changed' as const }]),
    ...(known.apiSchema.digest === contract.apiSchema.digest
      ? []
      : [{ name, change: 'schema changed' as const }]),
  ];
}

function subgraphDifferences(from: PublishedRelease, to: PublishedRelease): readonly SubgraphDifference[] {
  const old = new Map(from.subgraphs.map((subgraph) => [subgraph.name, subgraph]));
  const names = new Set(to.subgraphs.map(({ name }) => name));
  const removed = from.subgraphs.filter(({ name }) => !names.has(name));
  return [
    ...removed.map(({ name }) => ({ name, change: 'removed' as const })),
    ...to.subgraphs.flatMap(({ name, schema, routing }): readonly SubgraphDifference[] => {
      const known = old.get(name);
      if (!known) return [{ name, change: 'added' }];
      return [
        ...(known.schema.digest === schema.digest ? [] : [{ name, change: 'schema changed' as const }]),
        ...(JSON.stringify(known.routing) === JSON.stringify(routing)
          ? []
          : [{ name, change: 'routing changed' as const }]),
      ];
    }),
  ];
}

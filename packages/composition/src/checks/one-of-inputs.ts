import { Kind, type InputValueDefinitionNode } from 'graphql';
import { ownCodes } from '../diagnostic.ts';
import { inputObjectsOf, oneOfInputs } from '../one-of.ts';
import { locationOf } from '../source-position.ts';
import type { Check, Finding, SubgraphDocuments } from './check.ts';

/** Fields of a `@oneOf` input that are required or have a default: a client could then never send another one alone. */
export const oneOfFields: Check = {
  code: ownCodes.INVALID_GRAPHQL,
  severity: 'error',
  finds: 'A field of a @oneOf input that is non-null or has a default',
  action: 'Make it nullable, without a default.',
  run: (subgraphs) => [...subgraphs.keys()].flatMap((subgraph) => findInvalidFields(subgraphs, subgraph)),
};

/** An input that some subgraphs mark `@oneOf` and others do not: they would disagree on what is valid. */
export const oneOfEverywhere: Check = {
  code: 'INPUT_WITH_MISSING_ONE_OF',
  severity: 'error',
  finds: 'An input that is @oneOf in one subgraph and not in another',
  action: 'Add @oneOf to each definition, or to none.',
  run: findMissing,
};

function findInvalidFields(subgraphs: SubgraphDocuments, subgraph: string): readonly Finding[] {
  const document = subgraphs.get(subgraph);
  if (!document) return [];
  const marked = oneOfInputs(document);
  return inputObjectsOf(document)
    .filter(({ name }) => marked.has(name.value))
    .flatMap(({ name, fields = [] }) =>
      fields.flatMap((field) => findInvalid(`[${subgraph}] ${name.value}.${field.name.value}`, field)),
    );
}

function findInvalid(coordinate: string, field: InputValueDefinitionNode): readonly Finding[] {
  const locations = [locationOf(field)].filter((location) => location !== undefined);
  const nonNull = { message: `${coordinate} must be nullable: its input is @oneOf.`, locations };
  const preset = { message: `${coordinate} cannot have a default value: its input is @oneOf.`, locations };
  return [
    ...(field.type.kind === Kind.NON_NULL_TYPE ? [nonNull] : []),
    ...(field.defaultValue ? [preset] : []),
  ];
}

function findMissing(subgraphs: SubgraphDocuments): readonly Finding[] {
  const marked = new Map([...subgraphs].map(([name, document]) => [name, oneOfInputs(document)]));
  const names = new Set([...marked.values()].flatMap((inputs) => [...inputs]));
  return [...names].toSorted().flatMap((input) => findMissingOf(input, subgraphs, marked));
}

function findMissingOf(
  input: string,
  subgraphs: SubgraphDocuments,
  marked: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Finding[] {
  const missing = [...subgraphs].flatMap(([subgraph, document]) => {
    const nodes = inputObjectsOf(document).filter(({ name }) => name.value === input);
    return nodes.length > 0 && !marked.get(subgraph)?.has(input) ? [{ subgraph, nodes }] : [];
  });
  if (missing.length === 0) return [];
  const without = missing.map(({ subgraph }) => `"${subgraph}"`).join(' and ');
  return [
    {
      message: `${input} is @oneOf, but not in ${without}.`,
      locations: missing
        .flatMap(({ nodes }) => nodes.map(locationOf))
        .filter((location) => location !== undefined),
    },
  ];
}

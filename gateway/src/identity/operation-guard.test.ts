import { buildASTSchema, Kind, parse } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { ANONYMOUS, type Caller } from './caller.ts';
import { createOperationGuard, type OperationGuard } from '../operation/access/operation-guard.ts';
import { guardAnalysis } from '../operation/access/guarded-places.ts';
import { Analyzer } from '../operation/fold/selection-fold.ts';
import type { AnyOf, Requirement } from '../operation/access/requirement.ts';

const schema = buildASTSchema(gql`
  type Query {
    report: String
    found: [Found]
    node: Node
  }
  union Found = Post | Secret | Vault
  interface Node {
    id: ID
  }
  type Post implements Node {
    id: ID
    title: String
  }
  type Secret implements Node {
    id: ID
  }
  type Vault {
    id: ID
  }
`);

const requiring = (...scopes: AnyOf[]): Requirement => ({ authenticated: true, scopes, policies: [] });
const rules = {
  fields: new Map([['Query.report', requiring([['as']], [['bs']])]]),
  types: new Map([
    ['Secret', requiring()],
    ['Vault', requiring([['keys']])],
  ]),
};

function guardOf(text: string): OperationGuard {
  const document = parse(text);
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The text has no operation.');
  const analyzer = new Analyzer({ guarded: guardAnalysis(schema, rules) }, schema);
  const fold = analyzer.fold({ fragments: new Map() });
  const { guarded } = fold.ofOperation(operation.selectionSet, schema.getQueryType() ?? undefined);
  return createOperationGuard(guarded, {});
}

const withScopes = (...scopes: string[]): Caller => ({
  ...ANONYMOUS,
  authenticated: true,
  scopes: new Set(scopes),
});

describe('G14: A denial is worded for the caller at hand', () => {
  const { deniedTo } = guardOf('{ report }');
  const messageFor = (caller: Caller): string | undefined =>
    [...deniedTo(caller).fields.values()].map(({ message }) => message)[0];

  it.each([
    [withScopes(), 'This field needs the scopes as and bs.'],
    [withScopes('bs'), 'This field needs the scope as.'],
    [withScopes('as'), 'This field needs the scope bs.'],
    [withScopes('as', 'bs'), undefined],
    [ANONYMOUS, 'This field needs a valid access token.'],
    [withScopes('bs', 'other'), 'This field needs the scope as.'],
  ])('in any order of callers', (caller, message) => {
    expect(messageFor(caller)).toBe(message);
  });

  it('and is the same object for those of whom the same is to be said', () => {
    expect(deniedTo(withScopes('bs', 'other'))).toBe(deniedTo(withScopes('bs')));
    expect(deniedTo(withScopes('as'))).not.toBe(deniedTo(withScopes('bs')));
  });
});

describe('G14: Objects of guarded types', () => {
  const typesDenied = (text: string, caller: Caller): readonly string[] =>
    [...guardOf(text).deniedTo(caller).types.keys()].toSorted();

  it.each<[string, Caller, readonly string[]]>([
    ['{ found { __typename } }', ANONYMOUS, ['Secret', 'Vault']],
    ['{ found { __typename } }', withScopes(), ['Vault']],
    ['{ found { __typename } }', withScopes('keys'), []],
    ['{ found { ... on Post { title } } }', ANONYMOUS, ['Secret', 'Vault']],
    ['{ found { ... on Node { __typename } } }', withScopes(), ['Vault']],
    ['{ node { __typename } }', ANONYMOUS, ['Secret']],
    ['{ report }', withScopes('as', 'bs'), []],
  ])('are denied where others may stand as well: %s', (text, caller, types) => {
    expect(typesDenied(text, caller)).toEqual(types);
  });
});

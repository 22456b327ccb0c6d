import { print } from 'graphql';
import { gql } from 'graphql-tag';
import type { ChangeCode } from '@trellis/composition';

/** Schemas by subgraph. */
export type Schemas = Readonly<Record<string, string>>;

/** One graph before and after one change of a kind. */
export interface ChangePair {
  readonly coordinate: string;
  readonly before: Schemas;
  readonly after: Schemas;
  /** An operation that the change concerns; valid before. */
  readonly used?: string;
  /** An operation that uses the same graph, and nothing that changed. */
  readonly unused?: string;
  /** `gateway.yaml` before and after. */
  readonly settings?: { readonly before: string; readonly after: string };
  /** Routing URLs that differ from the others'. */
  readonly urls?: { readonly before: Schemas; readonly after: Schemas };
}

/** One pair for each kind of change. */
export type ChangePairs = Readonly<Partial<Record<ChangeCode, ChangePair>>>;

const LINKS = `${print(gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: [
        "@key"
        "@shareable"
        "@external"
        "@requires"
        "@provides"
        "@override"
        "@inaccessible"
        "@tag"
        "@interfaceObject"
        "@authenticated"
        "@requiresScopes"
        "@policy"
        "@cost"
        "@listSize"
        "@composeDirective"
        "@context"
        "@fromContext"
      ]
    )
    @link(url: "https://specs.trellis.dev/caching/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
    @link(url: "https://specs.trellis.dev/subscriptions/v1.0", import: ["@sharedSubscription"])
    @composeDirective(name: "@sharedSubscription")
    @link(url: "https://specs.trellis.dev/limits/v1.0", import: ["@depthAllowance"])
    @composeDirective(name: "@depthAllowance")
  directive @cacheControl(maxAge: Int, scope: caching__Scope) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
  enum caching__Scope {
    PUBLIC
    PRIVATE
  }
  directive @sharedSubscription on FIELD_DEFINITION
  directive @depthAllowance(extra: Int!) on FIELD_DEFINITION
`)}\n`;

/** Of a graph of one subgraph, which has `Query.other` beside what is given. */
export function one(
  coordinate: string,
  before: string,
  after: string,
  used?: string,
  unused = '{ other }',
): ChangePair {
  return pair(
    coordinate,
    { s: `type Query { other: Int }\n${before}` },
    { s: `type Query { other: Int }\n${after}` },
    used,
    unused,
  );
}

/** Of several subgraphs, by name. */
export function pair(
  coordinate: string,
  before: Schemas,
  after: Schemas,
  used?: string,
  unused = '{ other }',
): ChangePair {
  return {
    coordinate,
    before: withLinks(before),
    after: withLinks(after),
    unused,
    ...(used !== undefined && { used }),
  };
}

function withLinks(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).map(([name, sdl]) => [name, `${LINKS}${sdl}`]));
}

/** Of the field `Query.a`, before and after. */
export function fieldA(
  coordinate: string,
  before: string,
  after: string,
  used = '{ a }',
  types = '',
): ChangePair {
  return one(
    coordinate,
    `extend type Query { a${before} }\n${types}`,
    `extend type Query { a${after} }\n${types}`,
    used,
  );
}

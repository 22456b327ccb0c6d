import type { Schema } from '@apollo/federation-internals';
import type { GraphQLSchema } from 'graphql';
import { readSchemaHints, type SchemaHints } from './schema-hints.ts';
import type { TypeIndex } from './type-index.ts';
import { appliedArguments, linkedDirectives } from './linked-directives.ts';
import { federationInternals } from './apollo-packages.ts';

/** One subgraph, and where it is asked. */
export interface SubgraphEndpoint {
  readonly name: string;
  /** Absolute http or https URL of its GraphQL endpoint. */
  readonly url: string;
  /** Where and how it is subscribed to. Absent: at the same address, as the settings say. */
  readonly subscription?: SubscriptionAddress | undefined;
}

/** What a registry says of subscriptions to a subgraph; gateway.yaml has the last word. */
export interface SubscriptionAddress {
  /** http, https, ws or wss. */
  readonly url?: string | undefined;
  readonly transport?: SubscriptionTransport | undefined;
}

/** As gateway.yaml spells them. */
export type SubscriptionTransport = 'auto' | 'websocket' | 'sse' | 'multipart' | 'callback';

/** A generation before it is built: what it is known by, and its text. */
export interface SupergraphText {
  readonly hash: string;
  readonly sdl: string;
}

/** What a generation of the graph is made of. */
export interface SupergraphFields {
  /** SHA-256 of the supergraph's text and of the endpoints, hexadecimal. */
  readonly hash: string;
  /** The supergraph as it was loaded. */
  readonly sdl: string;
  /** The schema of clients: what `@inaccessible` hides is not in it; `@defer` and `@live` are. */
  readonly schema: GraphQLSchema;
  /** Everything that composition wrote down, with all applied directives. */
  readonly supergraphSchema: Schema;
  /** By the subgraph's name as its team gave it. */
  readonly subgraphs: ReadonlyMap<string, SubgraphEndpoint>;
  /** Which object types an abstract type stands for, hidden types included. */
  readonly types: TypeIndex;
}

/**
 * One generation of the graph. Frozen: a reload makes another one and swaps one pointer, and an operation that runs
 * ends on the generation it began with. What is read of its schema at the first use is a private member.
 */
export class Supergraph implements SupergraphFields {
  readonly hash: string;
  readonly sdl: string;
  readonly schema: GraphQLSchema;
  readonly supergraphSchema: Schema;
  readonly subgraphs: ReadonlyMap<string, SubgraphEndpoint>;
  readonly types: TypeIndex;
  #hints: SchemaHints | undefined;
  #entityKeys: EntityKeys | undefined;
  #sharedSubscriptions: ReadonlySet<string> | undefined;
  #version: string | undefined;

  constructor({ hash, sdl, schema, supergraphSchema, subgraphs, types }: SupergraphFields) {
    this.hash = hash;
    this.sdl = sdl;
    this.schema = schema;
    this.supergraphSchema = supergraphSchema;
    this.subgraphs = subgraphs;
    this.types = types;
    Object.freeze(this);
  }

  /** What a registry calls what is served with it: `production.42`. The last one, once it no longer serves; absent without a registry. */
  get version(): string | undefined {
    return this.#version;
  }

  /** A record of a registry names it. */
  serveAs(version: string): void {
    this.#version = version;
  }

  /** What operations are prepared by. */
  get hints(): SchemaHints {
    return (this.#hints ??= readSchemaHints(this.supergraphSchema));
  }

  /** The fields that name entities. */
  get entityKeys(): EntityKeys {
    return (this.#entityKeys ??= readEntityKeys(this.supergraphSchema));
  }

  /** Names of the fields of subscriptions that are marked `@sharedSubscription`. */
  get sharedSubscriptions(): ReadonlySet<string> {
    return (this.#sharedSubscriptions ??= readSharedSubscriptions(this.supergraphSchema));
  }
}

/** The fields that name an entity on their own, by type. Types that only several fields together name are not in it. */
export type EntityKeys = ReadonlyMap<string, readonly string[]>;

/** Reads the keys of a supergraph. */
function readEntityKeys(schema: Schema): EntityKeys {
  const keys = new Map<string, readonly string[]>();
  for (const type of schema.objectTypes()) {
    const fields = type
      .appliedDirectivesOf('join__type')
      .map((applied): unknown => applied.arguments()['key'])
      .filter((key) => typeof key === 'string' && /^\w+$/.test(key));
    if (fields.length > 0) keys.set(type.name, [...new Set(fields as string[])]); // filtered in the line before
  }
  return keys;
}

/** Names of the fields of subscriptions that their teams have marked `@sharedSubscription`. */
function readSharedSubscriptions(schema: Schema): ReadonlySet<string> {
  const directives = linkedDirectives(schema, 'sharedSubscription');
  const root = schema.schemaDefinition.rootType('subscription');
  if (!(root instanceof federationInternals.ObjectType)) return new Set();
  const marked = root.fields().filter((field) => appliedArguments(field, directives).length > 0);
  return new Set(marked.map(({ name }) => name));
}

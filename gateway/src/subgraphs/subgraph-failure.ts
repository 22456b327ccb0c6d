import { isDeepStrictEqual } from 'node:util';
import { own } from '@trellis/runtime/own-property';
import {
  type ErrorDisclosure,
  errorDisclosure,
  type SubgraphErrorSettings,
} from '../settings/subgraph-errors.ts';
import type { Given } from '../settings/setting.ts';

/** What went wrong on the way to a subgraph. */
export type SubgraphFailureKind =
  'unreachable' | 'timeout' | 'too-large' | 'redirect' | 'encoding' | 'unavailable';

/** A subgraph gave no response that can be read. The message names the subgraph, never its address. */
export class SubgraphFailure extends Error {
  override readonly name = 'SubgraphFailure';
  readonly subgraph: string;
  readonly kind: SubgraphFailureKind;

  constructor(subgraph: string, kind: SubgraphFailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.subgraph = subgraph;
    this.kind = kind;
  }
}

/** A subgraph has answered with an error of its own: for the log, so that it names the subgraph, and with what clients see of it. */
export class SubgraphError extends Error {
  override readonly name = 'SubgraphError';
  readonly subgraph: string;
  /** Absent where the defaults hold. */
  readonly disclosure: ErrorDisclosure | undefined;

  constructor(subgraph: string, message: string, disclosure?: ErrorDisclosure) {
    super(message);
    this.subgraph = subgraph;
    this.disclosure = disclosure;
    this.stack = `SubgraphError: The subgraph "${subgraph}" answered: ${message}`; // frames of the reader say nothing
  }
}

/** Finds what clients see of the errors of a subgraph; nothing where the defaults hold. */
export type DisclosureOf = (subgraph: string) => ErrorDisclosure | undefined;

/** @returns nothing where the defaults hold for all subgraphs: then no request looks for them */
export function compileErrorDisclosures(settings: SubgraphErrorSettings): DisclosureOf | undefined {
  const { subgraphs, ...forAll } = settings;
  const general = unlessDefault(forAll);
  const special = new Map(
    Object.keys(subgraphs).map((name) => [name, unlessDefault(merge(forAll, own(subgraphs, name)))]),
  );
  if (general === undefined && [...special.values()].every((rules) => rules === undefined)) return undefined;
  return (subgraph) => (special.has(subgraph) ? special.get(subgraph) : general);
}

function merge(forAll: ErrorDisclosure, special: Given<typeof errorDisclosure> = {}): ErrorDisclosure {
  return {
    messages: special.messages ?? forAll.messages,
    extensions: special.extensions ?? forAll.extensions,
    redactedMessage: special.redactedMessage ?? forAll.redactedMessage,
  };
}

function unlessDefault(rules: ErrorDisclosure): ErrorDisclosure | undefined {
  const { messages, extensions, redactedMessage } = rules;
  const isDefault =
    messages === errorDisclosure.messages.default &&
    isDeepStrictEqual(extensions, errorDisclosure.extensions.default) &&
    redactedMessage === undefined;
  return isDefault ? undefined : rules;
}

import { isDeepStrictEqual } from 'node:util';
import type { Given } from '../settings/setting.ts';
import { own } from '../own-property.ts';
import {
  errorDisclosure,
  type ErrorDisclosure,
  type SubgraphErrorSettings,
} from '../settings/subgraph-errors.ts';

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

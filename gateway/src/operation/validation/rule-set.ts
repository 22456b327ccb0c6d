import type { ValidationContext, ValidationRule } from 'graphql';
import { Interests, mergeVisitors, type MergedVisitor } from './merge-visitors.ts';

/**
 * Rules that documents are held against, one after the other. A rule's visitor has to name the same kinds of nodes for whatever
 * document, as all of graphql-js do: the first document shows which.
 */
export class RuleSet {
  readonly #rules: readonly ValidationRule[];
  #interests: Interests | undefined;

  constructor(rules: readonly ValidationRule[]) {
    this.#rules = rules;
  }

  /** One visitor of all rules, for one document. */
  visitorFor(context: ValidationContext): MergedVisitor {
    const visitors = this.#rules.map((rule) => rule(context));
    this.#interests ??= new Interests(visitors);
    return mergeVisitors(visitors, this.#interests);
  }
}

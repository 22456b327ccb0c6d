import { own } from '../own-property.ts';
import { parseKeySet, parsePrivateKey } from './json-web-key.ts';
import { parseSecrets, weaknessOf } from './secret-strength.ts';
import type { Forms, Variable } from './variable-table.ts';

/** A value, or what is wrong with a text, as ends of sentences: `must be …`. */
export type ParsedVariable =
  { readonly value: unknown; readonly problems?: undefined } | { readonly problems: readonly string[] };

/**
 * Reads the text that a variable is set to.
 *
 * @param forms those that the table names
 * @throws Error when the table names another form
 */
export function parseVariable(variable: Variable, text: string, forms: Forms): ParsedVariable {
  switch (variable.type) {
    case 'int':
      return parseWholeNumber(text, variable.min, variable.max);
    case 'port':
      return parseWholeNumber(text, 0, MAX_PORT);
    case 'flag':
      return parseFlag(text);
    case 'list':
      return parseList(text, formOf(variable, forms));
    case 'urls-by-name':
      return parseUrlsByName(text);
    case 'secrets':
      return checked(parseSecrets(text), parseSecrets(text).map(weaknessOf).find(isProblem));
    case 'choice':
      return checked(
        text,
        variable.choices.includes(text) ? undefined : `must be one of ${variable.choices.join(', ')}`,
      );
    case 'url':
      return checked(text, isUrl(text, variable.schemes) ? undefined : urlRule(variable.schemes));
    case 'text':
      return checked(text, formOf(variable, forms)(text));
    case 'secret':
      return checked(text, formOf(variable, forms)(text) ?? weaknessOf(text));
    case 'private-key':
      return expected(parsePrivateKey(text), PRIVATE_KEY_RULE);
    case 'key-set':
      return expected(parseKeySet(text), 'must be a JSON Web Key Set');
    default:
      return variable satisfies never;
  }
}

/** Value of a variable that is not set; undefined where it has none. */
export function defaultOf(variable: Variable): unknown {
  if (variable.type === 'urls-by-name') return variable.optional ? undefined : {};
  return 'default' in variable ? variable.default : undefined;
}

/** Whether a variable has to be set. */
export function isRequired(variable: Variable): boolean {
  const mayBeAbsent = 'optional' in variable && variable.optional !== undefined;
  return !mayBeAbsent && defaultOf(variable) === undefined;
}

/** Highest number of a TCP port. */
export const MAX_PORT = 65_535;

const PRIVATE_KEY_RULE = 'must be a private JWK of the curve P-256 with a kid, as JSON';

function isProblem(problem: string | undefined): problem is string {
  return problem !== undefined;
}

function checked(value: unknown, problem: string | undefined): ParsedVariable {
  return problem === undefined ? { value } : { problems: [problem] };
}

function expected(value: unknown, rule: string): ParsedVariable {
  return checked(value, value === undefined ? rule : undefined);
}

function parseWholeNumber(text: string, min: number, max: number): ParsedVariable {
  const number = Number(text);
  const isWithin = text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max;
  return checked(number, isWithin ? undefined : `must be a whole number from ${min} to ${max}`);
}

function parseFlag(text: string): ParsedVariable {
  const isOn = text === 'true' || text === '1';
  return checked(isOn, isOn || text === 'false' || text === '0' ? undefined : 'must be true or false');
}

function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/).filter((item) => item !== '');
}

function parseList(text: string, problemOf: Forms[string]): ParsedVariable {
  const items = wordsIn(text);
  return checked(items, items.map(problemOf).find(isProblem));
}

function parseUrlsByName(text: string): ParsedVariable {
  const items = wordsIn(text).map((item) => ({ item, parts: /^([^=]+)=(https?:\/\/.+)$/.exec(item) }));
  const wrong = items.filter(({ parts }) => !URL.canParse(parts?.[2] ?? ''));
  if (wrong.length > 0)
    return { problems: wrong.map(({ item }) => `"${item}" must be name=http://… or name=https://…`) };
  return { value: Object.fromEntries(items.map(({ parts }) => [parts?.[1] ?? '', parts?.[2] ?? ''])) };
}

function isUrl(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1));
}

function urlRule(schemes: readonly string[]): string {
  return `must be an absolute URL with the scheme ${schemes.join(' or ')}`;
}

function formOf({ form: name }: { readonly form?: string }, forms: Forms): Forms[string] {
  if (name === undefined) return () => undefined;
  const form = own(forms, name);
  if (form === undefined) throw new Error(`There is no form ${name} of a variable.`);
  return form;
}

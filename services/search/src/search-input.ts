import { badUserInput } from '@trellis/subgraph-protocol';
import { readText } from '@trellis/subgraph-kit';

/** What to look for. */
export interface WantedWords {
  readonly query: string;
  readonly text?: string | null | undefined;
}

const MAX_TEXT_LENGTH = 500;

/** @throws GraphQLError BAD_USER_INPUT unless exactly one of `query` and `text` says something, and what it says is acceptable */
export function readWords({ query, text }: WantedWords): string {
  const given = [
    ['query', query],
    ['text', text ?? ''],
  ] as const;
  const [wanted, another] = given.filter(([, words]) => words.trim() !== '');
  if (!wanted) throw badUserInput('"query" or "text" must say what to look for.', 'query', query);
  if (another) throw badUserInput('"query" and "text" are the same; only one may be given.', 'text', text);
  return readText(wanted[0], wanted[1], { maxLength: MAX_TEXT_LENGTH, multiline: true });
}

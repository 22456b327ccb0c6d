import type { CliCommand } from '../cli-command.ts';

/** The words that may follow, by what has been written: `auth-server accounts` → `add`, `show`, … */
export type CompletionWords = ReadonlyMap<string, readonly string[]>;

/** Reads from commands what can be completed: their names, their options, and what may follow them. */
export function completionWords(commands: readonly CliCommand[]): CompletionWords {
  const words = new Map<string, Set<string>>();
  const add = (path: readonly string[], word: string): void => {
    const key = path.join(' ');
    words.set(key, (words.get(key) ?? new Set()).add(word));
  };
  add([], '--help');
  for (const { command, phrases = [] } of commands) {
    const name = command.name();
    add([], name);
    add([name], '--help');
    for (const { long } of command.options) if (long) add([name], long);
    for (const phrase of phrases) addPhrase(add, [name, ...phrase.split(' ')]);
  }
  return new Map([...words].map(([path, following]) => [path, [...following]]));
}

function addPhrase(add: (path: readonly string[], word: string) => void, parts: readonly string[]): void {
  for (const [index, word] of parts.entries()) if (index > 0) add(parts.slice(0, index), word);
}

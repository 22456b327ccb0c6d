import type { Paint } from './terminal.ts';

const styles: Readonly<Record<string, keyof Paint>> = {
  error: 'red',
  breaking: 'red',
  warning: 'yellow',
  dangerous: 'yellow',
  unknown: 'yellow',
  hint: 'cyan',
};

/** Colours the word that a line of a report begins with: `breaking: Query.user: …`. */
export function paintVerdicts(text: string, paint: Paint): string {
  return text.replaceAll(/^(error|breaking|warning|dangerous|unknown|hint):/gm, (words, word: string) => {
    const style = styles[word];
    return style === undefined ? words : paint.bold(paint[style](words));
  });
}

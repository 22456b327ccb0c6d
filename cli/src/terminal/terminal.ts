import { styleText } from 'node:util';
import type { Environment } from '@trellis/runtime';

/** What a terminal needs of a stream: `process.stdout` and `process.stderr` have it. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  /** Characters in a line. */
  readonly columns?: number;
  write(text: string): unknown;
}

const styles = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;

/** Styles of texts; each returns its text unchanged where colours are not wanted. */
export type Paint = Readonly<Record<(typeof styles)[number], (text: string) => string>>;

/** Where a command shows what it does. */
export interface Terminal {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  /** Whether lines can be drawn again: a terminal at which a user sits. False in CI and in files. */
  readonly isInteractive: boolean;
  /** Characters in a line at this moment. */
  readonly columns: () => number;
}

const DEFAULT_COLUMNS = 80;

/** A stream, with the styles that it and the environment want. */
export function createTerminal(stream: TerminalStream, environment: Environment): Terminal {
  const hasColors = wantsColors(stream, environment);
  return {
    write: (text) => void stream.write(text),
    paint: paintWith(hasColors),
    isInteractive: stream.isTTY === true && environment['TERM'] !== 'dumb' && !environment['CI'],
    columns: () => stream.columns || DEFAULT_COLUMNS, // a terminal of unknown size says 0
  };
}

/**
 * Whether colours are written: FORCE_COLOR decides, else NO_COLOR forbids them, else a terminal has them.
 *
 * @see https://no-color.org and https://force-color.org
 */
export function wantsColors(
  { isTTY }: Pick<TerminalStream, 'isTTY'>,
  { FORCE_COLOR: forced, NO_COLOR: forbidden, TERM: kind }: Environment,
): boolean {
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (forbidden) return false;
  return isTTY === true && kind !== 'dumb';
}

function paintWith(hasColors: boolean): Paint {
  const paint = (style: (typeof styles)[number]) => (text: string) =>
    hasColors ? styleText(style, text, { validateStream: false }) : text;
  return Object.fromEntries(styles.map((style) => [style, paint(style)])) as Record<keyof Paint, never>; // one for each
}

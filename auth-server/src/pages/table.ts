import type { PageTexts } from './texts/page-texts.ts';

/** What stands in a cell of a table. */
export type Cell =
  | string
  | { readonly strong: string }
  | { readonly code: string }
  /** A message that is in English on every page. WCAG 2.2 §3.1.2 */
  | { readonly english: string }
  | { readonly lines: readonly string[] }
  | { readonly href: string; readonly text: string }
  /** ISO 8601, and as users read it. */
  | { readonly time: string; readonly text: string }
  | CellForm;

/** A form of one button. */
export interface CellForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly button: string;
  /** What the button is about, for those who hear it out of its row. */
  readonly about: string;
}

/** A table: on narrow screens each row becomes a block, in which cells have their column's name. */
export interface Table {
  /** Id of the heading that names it. */
  readonly labelledBy: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A moment in a cell. @param at milliseconds since 1970 */
export function timeCell(at: number | undefined, texts: PageTexts): Cell {
  if (at === undefined) return '';
  return { time: new Date(at).toISOString(), text: `${formatOf(texts.language).format(at)} UTC` };
}

function formatOf(language: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
}

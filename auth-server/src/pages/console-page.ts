import { render, type Page } from './pages.ts';
import type { Cell, Table } from './table.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** A field of a form of the console. */
export interface ConsoleField {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'number' | 'search' | 'select' | 'textarea';
  readonly value?: string | undefined;
  /** Of a `select`. */
  readonly options?: readonly string[];
  /** @default false */
  readonly isRequired?: boolean;
  readonly hint?: string;
}

/** A form of the console. */
export interface ConsoleForm {
  /** Unlike that of every other form of the page. */
  readonly id: string;
  readonly action: string;
  readonly method: 'get' | 'post';
  readonly hidden?: Readonly<Record<string, string>>;
  readonly fields: readonly ConsoleField[];
  readonly submit: string;
  readonly kind?: 'secondary' | 'danger';
  /** Where it is shown on demand: what opens it. */
  readonly summary?: string;
}

/** A part of a page of the console. */
export interface ConsoleSection {
  readonly id: string;
  readonly heading: string;
  readonly intro?: string;
  /** SVG that was drawn here. */
  readonly picture?: string;
  readonly facts?: readonly (readonly [name: string, value: Cell])[];
  readonly table?: Table;
  /** What is said in place of a table without rows. */
  readonly empty?: string;
  readonly links?: readonly { readonly href: string; readonly text: string }[];
  readonly forms?: readonly ConsoleForm[];
}

/** A page of the console. */
export interface ConsolePage {
  readonly title: string;
  readonly csrf: string;
  readonly operator: string;
  readonly navigation: readonly {
    readonly href: string;
    readonly text: string;
    readonly isCurrent: boolean;
  }[];
  /** What has just been done. */
  readonly done: string | undefined;
  /** Why nothing was done, in the words of the API: in English. */
  readonly problem: string | undefined;
  readonly sections: readonly ConsoleSection[];
}

/** A page of the console. */
export function renderConsole(page: ConsolePage, texts: PageTexts): Page {
  return render('console', page, texts);
}

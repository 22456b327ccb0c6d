import { parse, type HTMLElement } from 'node-html-parser';

/** A form of a page, as a browser without JavaScript reads it. */
export interface HtmlForm {
  /** Absolute. */
  readonly action: string;
  /** Hidden fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** Visible fields, with what the page has filled in. */
  readonly visible: Readonly<Record<string, string>>;
  /** What the button that is pressed adds. */
  readonly pressed: Readonly<Record<string, string>>;
  readonly hasPassword: boolean;
}

/** How to read a form. */
export interface FormOptions {
  /** Matches the text of the button that is pressed. @default the first button */
  readonly button?: RegExp;
}

/**
 * Reads the first form of a page that is sent by POST.
 *
 * @param address of the page, against which the form's action is resolved
 * @throws Error when there is none, or none with such a button
 */
export function readForm(html: string, address: string | URL, { button }: FormOptions = {}): HtmlForm {
  const form = parse(html, { parseNoneClosedTags: true })
    .querySelectorAll('form')
    .find((candidate) => candidate.getAttribute('method')?.toLowerCase() === 'post');
  const pressed = form?.querySelectorAll('button').find(({ text }) => !button || button.test(text.trim()));
  if (!form || (button && !pressed))
    throw new Error(`There is no form${button ? ` with a button ${button}` : ''} on the page:\n${html}`);
  const inputs = form.querySelectorAll('input');
  const isHidden = (input: HTMLElement): boolean => input.getAttribute('type') === 'hidden';
  return {
    action: new URL(form.getAttribute('action') ?? '', address).href,
    fields: valuesOf(inputs.filter(isHidden)),
    visible: valuesOf(inputs.filter((input) => !isHidden(input))),
    pressed: valuesOf(pressed ? [pressed] : []),
    hasPassword: inputs.some((input) => input.getAttribute('type') === 'password'),
  };
}

function valuesOf(elements: readonly HTMLElement[]): Readonly<Record<string, string>> {
  const named = elements.filter((element) => element.hasAttribute('name'));
  return Object.fromEntries(
    named.map((element) => [element.getAttribute('name') ?? '', element.getAttribute('value') ?? '']),
  );
}

import { parse, type HTMLElement } from 'node-html-parser';

/** A form of a page, as a browser without JavaScript would send it. */
export interface HtmlForm {
  /** Names of the visible input fields. */
  readonly fieldNames: readonly string[];
  readonly hasPassword: boolean;
  /** The request that the first submit button makes. */
  submit(values: Readonly<Record<string, string>>): Request;
}

/**
 * Reads the first form that is sent by POST.
 *
 * @param address of the page, against which the form's action is resolved
 */
export function readForm(page: string, address: URL): HtmlForm | undefined {
  const form = parse(page)
    .querySelectorAll('form')
    .find((candidate) => candidate.getAttribute('method')?.toLowerCase() === 'post');
  if (!form) return undefined;
  const inputs = form.querySelectorAll('input');
  const visible = inputs.filter((input) => input.getAttribute('type') !== 'hidden');
  return {
    fieldNames: visible.map(nameOf),
    hasPassword: visible.some((input) => input.getAttribute('type') === 'password'),
    submit: (values) =>
      new Request(new URL(form.getAttribute('action') ?? '', address), {
        method: 'POST',
        body: new URLSearchParams({ ...hiddenValues(inputs), ...buttonValue(form), ...values }),
        headers: { origin: address.origin },
      }),
  };
}

function hiddenValues(inputs: readonly HTMLElement[]): Record<string, string> {
  const hidden = inputs.filter((input) => input.getAttribute('type') === 'hidden');
  return Object.fromEntries(hidden.map((input) => [nameOf(input), input.getAttribute('value') ?? '']));
}

function buttonValue(form: HTMLElement): Record<string, string> {
  const button = form.querySelector('button');
  const name = button?.getAttribute('name');
  return name ? { [name]: button?.getAttribute('value') ?? '' } : {};
}

function nameOf(input: HTMLElement): string {
  return input.getAttribute('name') ?? '';
}

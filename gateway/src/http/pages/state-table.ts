import type { Bound, Samples } from './metric-samples.ts';
import { html, type Html } from './page.ts';
import type { StateTexts } from './state-texts.ts';

/** A table of the page for operators. */
export interface Section {
  readonly id: string;
  readonly heading: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Draws a table that scrolls by itself on narrow screens; without rows, a sentence. */
export function drawSection({ id, heading, columns, rows }: Section, { none }: StateTexts): Html {
  if (rows.length === 0)
    return html`<section aria-labelledby="${id}">
      <h2 id="${id}">${heading}</h2>
      <p>${none}</p>
    </section>`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    <div class="scroll" role="group" aria-labelledby="${id}" tabindex="0">
      <table>
        <thead>
          <tr>
            ${columns.map((column) => html`<th scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((cell) => html`<td>${cell}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** `3 (1.2 %)` */
export function shareOf(part: number, all: number): string {
  return all === 0 ? '0' : `${part} (${((100 * part) / all).toFixed(1)} %)`;
}

/** Half of all, and 95 of 100, as cells. */
export function durationCells(
  samples: Samples,
  name: string,
  labels: Readonly<Record<string, string>>,
  texts: StateTexts,
): readonly string[] {
  const { half, most } = samples.quantiles(name, labels);
  return [boundOf(half, texts), boundOf(most, texts)];
}

/** `5 ms`, or `more than 5 ms`; nothing where nothing was observed. */
export function boundOf(bound: Bound, { moreThan }: StateTexts): string {
  if (!bound) return '';
  const time = timeOf(bound.seconds);
  return bound.isBeyond ? moreThan(time) : time;
}

/** Of seconds: `12 ms`, `1.5 s`. */
export function timeOf(seconds: number): string {
  return seconds < 1
    ? `${Number((seconds * 1000).toPrecision(3))} ms`
    : `${Number(seconds.toPrecision(3))} s`;
}

/** Of Unix time: `2026-11-23T10:00:00 UTC`. */
export function timestampOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)} UTC`;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lifeCycle } from 'trellis/programs';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/what-ends-what.md';
const START =
  '<!-- Generated from auth-server/src/administration/what-ends-what.ts by "npm run generate". -->';
const END = '<!-- End of what is generated. -->';

/** How the page says an effect. */
const EFFECTS = { ends: '**ends**', stays: 'stays', narrows: 'gives less', sent: 'sent', none: 'none' };

/**
 * docs/what-ends-what.md with the table of what ends what between its two marks.
 *
 * @throws Error when the page lacks a mark
 */
export async function generateLifeCycleSection(): Promise<GeneratedFile> {
  const page = readFileSync(join(repository, path), 'utf8');
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start === -1 || end < start)
    throw new Error(`${path} lacks the marks around the table of what ends what.`);
  const text = `${page.slice(0, start)}${START}\n\n${formatTables()}\n${page.slice(end)}`;
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}

/** One table an event would be long, one for all too wide: things are rows, and events the columns of several tables. */
function formatTables(): string {
  const { events, things, whatEndsWhat } = lifeCycle;
  const names = Object.keys(events) as (keyof typeof events)[]; // its own keys, a frozen literal
  const columns = Object.keys(things) as (keyof typeof things)[]; // the same
  const half = Math.ceil(columns.length / 2);
  return [columns.slice(0, half), columns.slice(half)]
    .map((shown) => {
      const head = `| Event | ${shown.map((thing) => things[thing]).join(' | ')} |`;
      const line = `| --- | ${shown.map(() => '---').join(' | ')} |`;
      const rows = names.map((event) => {
        const cells = shown.map((thing) => formatCell(whatEndsWhat[event][thing]));
        return `| ${events[event]} | ${cells.join(' | ')} |`;
      });
      return [head, line, ...rows, ''].join('\n');
    })
    .join('\n');
}

function formatCell({ effect, note }: (typeof lifeCycle.whatEndsWhat)['signed_out']['session']): string {
  return note === undefined ? EFFECTS[effect] : `${EFFECTS[effect]}, ${note}`;
}

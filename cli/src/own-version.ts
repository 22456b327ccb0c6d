import { readFileSync } from 'node:fs';

/** The version of this package; all packages of Trellis have the same one. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version; // our own file
}

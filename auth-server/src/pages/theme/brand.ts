import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { styleOf } from './palette.ts';
import type { Brand } from '../texts/brand.ts';
import type { Theme, ThemeImage } from './theme.ts';

const stylesheet = readFileSync(
  new URL('../../../src/pages/templates/stylesheet.css', import.meta.url),
  'utf8',
);

/** Makes of a theme what pages need of it. @param base address of this server, without a slash at its end */
export function createBrand(theme: Theme, base: string): Brand {
  const addressOf = (image: ThemeImage | undefined): string | undefined =>
    image && `${base}${ASSETS}?name=${image.name}`;
  const style = `${styleOf(theme.palettes)}\n${stylesheet}`;
  return {
    name: theme.name,
    logo: addressOf(theme.logo),
    darkLogo: addressOf(theme.darkLogo),
    links: theme.links,
    account: `${base}/account`,
    stylesheet: style,
    stylesheetSource: hashSource(style),
  };
}

/** Where the pictures of themes are, below the issuer. */
const ASSETS = '/assets';

/** The source expression that lets one inline text in. CSP Level 3 */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

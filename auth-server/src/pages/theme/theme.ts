import type { ThemeLinks } from '../texts/brand.ts';
import type { Palettes } from './palette.ts';

/** A picture of a theme, as it is served. */
export interface ThemeImage {
  readonly bytes: Buffer;
  readonly type: string;
  /** At `/assets`; another picture has another name. */
  readonly name: string;
}

/** What makes the pages those of one operator. */
export interface Theme {
  readonly name: string;
  readonly logo: ThemeImage | undefined;
  /** In place of the logo on dark pages. */
  readonly darkLogo: ThemeImage | undefined;
  readonly palettes: Palettes;
  /** Texts in place of those of the pages: by language, then by the text's name, such as `signIn.title`. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly links: ThemeLinks;
}

import { readPreferences } from '@trellis/http1/fields';
import { createBrand } from './theme/brand.ts';
import type { Theme } from './theme/theme.ts';
import { languages, replaceTexts } from './texts/replace-texts.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** Most entries of a list of languages that are looked at. */
const MAX_ENTRIES = 20;

/**
 * The texts for a user: the best of `ui_locales` (OpenID Connect Core §3.1.2.1), else of Accept-Language, else English.
 */
export type TextChooser = (uiLocales?: string, acceptLanguage?: string) => PageTexts;

/** What chooses texts. */
export interface PageFeatures {
  readonly chooseTexts: TextChooser;
  /** Of the operator. */
  readonly theme: Theme;
}

/**
 * Texts as a theme has them.
 *
 * @param issuer whose pages they are on
 * @param errorReference the page that describes codes of errors
 */
export function createTextChooser(theme: Theme, issuer: string, errorReference?: string): TextChooser {
  const brand = { ...createBrand(theme, issuer), errorReference };
  const themed = languages.map((texts): PageTexts => ({
    ...replaceTexts(texts, theme.texts[texts.language] ?? {}),
    brand,
  }));
  const [english] = themed as [PageTexts, ...PageTexts[]]; // of the list of languages, which is not empty
  return (uiLocales = '', acceptLanguage = '') => {
    const wanted = [...uiLocales.split(' ').slice(0, MAX_ENTRIES), ...languagesIn(acceptLanguage)];
    for (const tag of wanted) {
      const texts = themed.find(({ language }) => language === tag.toLowerCase().split('-')[0]);
      if (texts) return texts;
    }
    return english;
  };
}

function languagesIn(acceptLanguage: string): readonly string[] {
  return readPreferences(acceptLanguage, MAX_ENTRIES).map(({ value }) => value);
}

import { chinese } from './texts/chinese.ts';
import { english } from './texts/english.ts';
import { german } from './texts/german.ts';
import type { PageTexts } from './texts/page-texts.ts';

const languages: readonly PageTexts[] = [english, german, chinese];

/** Most entries of a list of languages that are looked at. */
const MAX_ENTRIES = 20;

/**
 * The texts for a user: the best of `ui_locales` (OpenID Connect Core §3.1.2.1), else of Accept-Language, else English.
 */
export function chooseTexts(uiLocales: string | undefined, acceptLanguage: string | undefined): PageTexts {
  const wanted = [...(uiLocales ?? '').split(' ').slice(0, MAX_ENTRIES), ...byQuality(acceptLanguage ?? '')];
  for (const tag of wanted) {
    const texts = languages.find(({ language }) => language === tag.toLowerCase().split('-')[0]);
    if (texts) return texts;
  }
  return english;
}

/** RFC 9110 §12.5.4 */
function byQuality(acceptLanguage: string): string[] {
  return acceptLanguage
    .split(',')
    .slice(0, MAX_ENTRIES)
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}

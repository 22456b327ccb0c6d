import { chinese } from './chinese.ts';
import { english } from './english.ts';
import { german } from './german.ts';
import type { LanguageTexts } from './page-texts.ts';

/** Every language that pages are in; the first is that of users who ask for none of them. */
export const languages: readonly LanguageTexts[] = Object.freeze([english, german, chinese]);

/** Texts of one language that take the place of the pages' own, by their names. */
export type Replacements = Readonly<Record<string, string>>;

/** Names of scopes are the operator's: any may have a text. */
const SCOPES = 'consent.scopes.';

/** What is wrong with replacements, a sentence each: a name that no text has does nothing, and is a mistake. */
export function textProblems(texts: Readonly<Record<string, Replacements>>): readonly string[] {
  return Object.entries(texts).flatMap(([language, replacements]) => {
    const own = languages.find((known) => known.language === language);
    if (!own) return [`texts.${language}: there are no pages in this language.`];
    const names = new Set(namesIn(own));
    return Object.keys(replacements)
      .filter((name) => !names.has(name) && !name.startsWith(SCOPES))
      .map((name) => `texts.${language}: no text has the name ${name}.`);
  });
}

/** Texts with some replaced. */
export function replaceTexts(texts: LanguageTexts, replacements: Replacements): LanguageTexts {
  const replaced = replaceIn(texts, '', replacements) as LanguageTexts; // the same members, and texts for texts
  const scopes = Object.entries(replacements)
    .filter(([name]) => name.startsWith(SCOPES))
    .map(([name, text]) => [name.slice(SCOPES.length), text] as const);
  const consent = {
    ...replaced.consent,
    scopes: Object.fromEntries([...Object.entries(replaced.consent.scopes), ...scopes]),
  };
  return { ...replaced, consent };
}

/** What can be replaced: texts that say the same whatever a page shows. */
function namesIn(texts: object, path = ''): readonly string[] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return isFixed(path + name) ? [] : [path + name];
    return typeof value === 'object' && value !== null ? namesIn(value, `${path}${name}.`) : [];
  });
}

function replaceIn(texts: object, path: string, replacements: Replacements): object {
  const entries = Object.entries(texts).map(([name, value]: [string, unknown]) => {
    const full = path + name;
    if (typeof value === 'object' && value !== null)
      return [name, replaceIn(value, `${full}.`, replacements)] as const;
    const isReplaced = typeof value === 'string' && !isFixed(full) && Object.hasOwn(replacements, full);
    return [name, isReplaced ? replacements[full] : value] as const;
  });
  return Object.fromEntries(entries) as object;
}

/** What browsers read, not users. */
function isFixed(name: string): boolean {
  return name === 'language' || name === 'direction';
}

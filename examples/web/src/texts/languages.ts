import type { Texts } from './en.ts';

/** A language of the application. */
export type Language = keyof typeof languages;

/** What each calls itself, and where its texts are: only the chosen ones are loaded. */
export const languages = {
  en: { name: 'English', load: async (): Promise<Texts> => (await import('./en.ts')).en },
  de: { name: 'Deutsch', load: async (): Promise<Texts> => (await import('./de.ts')).de },
  fr: { name: 'Français', load: async (): Promise<Texts> => (await import('./fr.ts')).fr },
} as const;

const KEY = 'language';

/** The language that the user has chosen, or else the first of the browser's that there are texts for. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  return wanted.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

/** Remembers the choice in this browser. */
export function storeLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
}

function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}

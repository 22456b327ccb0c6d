import { Negotiator } from '@fastify/accept-negotiator';
import { chinese } from './chinese.ts';
import { english } from './english.ts';
import { german } from './german.ts';
import type { PageTexts } from './page-texts.ts';

const byLanguage: Readonly<Record<string, PageTexts>> = { en: english, de: german, zh: chinese };

const negotiator = new Negotiator({ supportedValues: Object.keys(byLanguage) });

/** Longer lists of languages are not read. */
const MAX_CHARACTERS = 500;

/** The texts for a user: the best of Accept-Language, whatever the region, else English. RFC 9110 §12.5.4, RFC 4647 §3.4 */
export function chooseTexts(acceptLanguage = ''): PageTexts {
  if (acceptLanguage.length > MAX_CHARACTERS) return english;
  const languages = acceptLanguage.toLowerCase().replaceAll(/-[\w-]*/g, '');
  return byLanguage[negotiator.negotiate(languages) ?? 'en'] ?? english;
}

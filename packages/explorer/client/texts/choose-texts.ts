import { chinese } from './chinese.ts';
import { english } from './english.ts';
import type { ExplorerTexts } from './explorer-texts.ts';
import { german } from './german.ts';

/** The texts in the language that the server has chosen for the page. */
export function chooseTexts(language: string): ExplorerTexts {
  if (language === 'de') return german;
  return language === 'zh' ? chinese : english;
}

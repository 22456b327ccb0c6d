import { createContext, use, useMemo, useState, useTransition, type ReactNode } from 'react';
import type { Texts } from './en.ts';
import { languages, storeLanguage, type Language } from './languages.ts';

interface Chosen {
  readonly language: Language;
  readonly texts: Texts;
}

interface TextsContextValue extends Chosen {
  choose(language: Language): void;
}

const TextsContext = createContext<TextsContextValue | undefined>(undefined);

/** Gives the texts to all below, and lets the user choose another language. */
export function TextsProvider({
  initial,
  children,
}: {
  readonly initial: Chosen;
  readonly children: ReactNode;
}) {
  const [chosen, setChosen] = useState(initial);
  const [, startTransition] = useTransition();
  const value = useMemo(() => {
    const choose = (language: Language): void => {
      storeLanguage(language);
      startTransition(async () => setChosen(await loadTexts(language)));
    };
    return { ...chosen, choose };
  }, [chosen]);
  return <TextsContext value={value}>{children}</TextsContext>;
}

/** The texts in the user's language. */
export function useTexts(): TextsContextValue {
  const value = use(TextsContext);
  if (!value) throw new Error('There is no TextsProvider.');
  return value;
}

/** Loads the texts of a language, and marks the page as being in it. */
export async function loadTexts(language: Language): Promise<Chosen> {
  const texts = await languages[language].load();
  document.documentElement.lang = language;
  return { language, texts };
}

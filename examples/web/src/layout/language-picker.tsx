import { useTexts } from '../texts/texts-context.tsx';
import { languages, type Language } from '../texts/languages.ts';

/** Chooses the language of the texts. */
export function LanguagePicker() {
  const { texts, language, choose } = useTexts();
  return (
    <select
      aria-label={texts.language}
      className="language"
      value={language}
      onChange={({ target }) => choose(target.value as Language)} // one of the options
    >
      {Object.entries(languages).map(([tag, { name }]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}

import { skipToken, useQuery } from '@apollo/client/react';
import { useId, useState } from 'react';
import { Failure } from '../layout/failure.tsx';
import { PageTitle } from '../routing/page-title.tsx';
import { navigate, useLocation } from '../routing/router.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { SearchDocument } from './search-query.ts';
import { SearchResult } from './search-result.tsx';
import { useSettled } from './use-settled.ts';

const PAUSE_MS = 200;

/** Searches as one types. The address has the words, for the way back and for others. */
export function SearchPage() {
  const { texts } = useTexts();
  const { searchParams } = useLocation();
  const field = useId();
  const [text, setText] = useState(searchParams.get('q') ?? '');
  const type = (typed: string): void => {
    setText(typed);
    navigate(typed === '' ? '/search' : `/search?q=${encodeURIComponent(typed)}`, { replace: true });
  };
  return (
    <section>
      <PageTitle label={texts.search}>{texts.search}</PageTitle>
      <search className="search">
        <label htmlFor={field}>{texts.searchLabel}</label>
        <p id={`${field}-hint`} className="hint">
          {texts.searchHint}
        </p>
        <input
          id={field}
          type="search"
          value={text}
          maxLength={500}
          aria-describedby={`${field}-hint`}
          onChange={({ target }) => type(target.value)}
        />
      </search>
      <Results text={useSettled(text.trim(), PAUSE_MS)} />
    </section>
  );
}

/** What was found; while the next results are on their way, the former ones stay. */
function Results({ text }: { readonly text: string }) {
  const { texts } = useTexts();
  const { data, previousData, error, loading, refetch } = useQuery(
    SearchDocument,
    text === '' ? skipToken : { variables: { text } },
  );
  const found = text === '' ? undefined : (data ?? previousData)?.search;
  return (
    <div aria-busy={loading}>
      <p role="status" className="hint">
        {found && !loading && (found.length === 0 ? texts.noResults(text) : texts.results(found.length))}
      </p>
      {error && <Failure error={error} onRetry={() => refetch()} />}
      <ul>
        {found?.map((one) => (
          <SearchResult key={one.id} found={one} />
        ))}
      </ul>
    </div>
  );
}

import type { VNode } from 'preact';
import type { GraphError } from '../operation/graph-result.ts';
import { useApp } from '../app-context.ts';

/** Of a list whose elements all fail, so many errors are written out. */
const MAX_SHOWN = 20;

/** The errors of a response, each with what its code means. */
export function ErrorList({ errors }: { readonly errors: readonly GraphError[] }): VNode {
  const { settings, texts } = useApp();
  return (
    <ul class="errors" aria-label={texts.errors(errors.length)}>
      {errors.slice(0, MAX_SHOWN).map(({ message, path, extensions }, index) => {
        const { code } = extensions ?? {};
        const meaning = meaningOf(code, settings.errorMeanings);
        return (
          <li key={index}>
            <span class="problem">{message}</span> {path && <code>{path.join('.')}</code>}
            {meaning !== undefined && (
              <details>
                <summary>{`${code as string}: ${texts.meaning}`}</summary>
                {meaning}{' '}
                {settings.errorReference !== undefined && (
                  <a href={`${settings.errorReference}#${code as string}`} target="_blank" rel="noreferrer">
                    {texts.documentation}
                  </a>
                )}
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function meaningOf(code: unknown, meanings: Readonly<Record<string, string>>): string | undefined {
  return typeof code === 'string' && Object.hasOwn(meanings, code) ? meanings[code] : undefined;
}

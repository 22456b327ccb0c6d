import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';

/** A client that has sent a field, as the gateway says it. */
interface FieldUser {
  readonly name: string;
  readonly version: string;
  readonly requests: number;
  readonly lastUsed: string;
}

/** Who has sent a field, as the gateway says it. */
interface FieldUse {
  readonly users: readonly FieldUser[];
  /** Workers of the gateway whose part is missing. */
  readonly missingWorkers: number;
}

/** Who uses a field: clients with their versions, how often and when last. Nothing where that is not recorded. */
export function FieldUsers({ field }: { readonly field: string }): VNode | null {
  const { settings, texts } = useApp();
  const { fieldUsersPath: path } = settings;
  const use = useFieldUse(path, field);
  if (!use) return null;
  const { users, missingWorkers } = use;
  return (
    <section aria-label={texts.usedBy}>
      <h3>{texts.usedBy}</h3>
      {missingWorkers > 0 && <p>{texts.workersMissing(missingWorkers)}</p>}
      {users.length === 0 && missingWorkers === 0 && <p>{texts.unused}</p>}
      <ul>
        {users.map(({ name, version, requests, lastUsed }) => (
          <li key={`${name} ${version}`}>
            <strong>{`${name} ${version}`.trim()}</strong>{' '}
            {texts.requestsUntil(requests, new Date(lastUsed).toLocaleString())}
          </li>
        ))}
      </ul>
    </section>
  );
}

function useFieldUse(path: string | undefined, field: string): FieldUse | undefined {
  const [use, setUse] = useState<FieldUse>();
  useEffect(() => {
    setUse(undefined);
    if (path === undefined) return undefined;
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const response = await fetch(`${path}?field=${encodeURIComponent(field)}`, {
        signal: controller.signal,
      });
      if (response.ok) setUse((await response.json()) as FieldUse); // the gateway says it
    };
    load().catch(() => undefined); // the documentation is complete without it
    return () => controller.abort();
  }, [path, field]);
  return use;
}

import { useEffect, useState } from 'preact/hooks';
import { loadSchema, type LoadedSchema } from './load-schema.ts';

/** The schema, or why there is none. */
export interface SchemaState {
  readonly loaded?: LoadedSchema | undefined;
  readonly failure?: string | undefined;
  /** Asks again. */
  readonly reload: () => void;
}

const RETRY_MS = 5_000;

/**
 * Loads the schema, and again when someone signs in or out; where the graph can't be reached, again until it can.
 *
 * @param isReady whether it is known who is signed in
 */
export function useSchema(url: string, accessToken: string | undefined, isReady: boolean): SchemaState {
  const [loaded, setLoaded] = useState<LoadedSchema>();
  const [failure, setFailure] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  const reload = (): void => setAttempt((before) => before + 1);
  useEffect(() => {
    if (!isReady) return undefined;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const headers = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
    loadSchema(url, headers, controller.signal).then(
      (found) => {
        setLoaded(found);
        setFailure(undefined);
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setFailure(error instanceof Error ? error.message : String(error));
        if (error instanceof TypeError) timer = setTimeout(reload, RETRY_MS); // the network failed
      },
    );
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [url, isReady, accessToken === undefined, attempt]);
  return { loaded, failure, reload };
}

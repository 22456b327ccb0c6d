import { useEffect, useRef, useState } from 'preact/hooks';

/** What the gateway reports of its supergraph. */
interface GraphEvent {
  readonly hash: string;
  readonly problem: string | null;
}

/**
 * Follows the graph while a developer changes it.
 *
 * @param path of the event stream; absent outside of development
 * @param onChange called when another supergraph serves
 * @returns why a newer supergraph was rejected
 */
export function useGraphEvents(path: string | undefined, onChange: () => void): string | undefined {
  const [problem, setProblem] = useState<string>();
  const hash = useRef<string>(undefined);
  useEffect(() => {
    if (path === undefined) return undefined;
    const events = new EventSource(path); // it connects again by itself
    events.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as GraphEvent; // the gateway wrote it
      setProblem(event.problem ?? undefined);
      if (hash.current !== undefined && hash.current !== event.hash) onChange();
      hash.current = event.hash;
    });
    return () => events.close();
  }, [path]);
  return problem;
}

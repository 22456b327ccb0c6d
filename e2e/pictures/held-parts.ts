/**
 * In the page, before its scripts: holds the parts of responses behind the first one while `holdParts` is set, until
 * {@link releaseParts}. They arrive within milliseconds, which no picture shows.
 */
export function holdParts(): void {
  const scope = globalThis as typeof globalThis & { holdParts?: boolean; releaseParts?: () => void };
  const original = globalThis.fetch;
  const released = new Promise<void>((resolve) => (scope.releaseParts = resolve));
  globalThis.fetch = async (...args) => {
    const response = await original(...args);
    if (!scope.holdParts || !response.headers.get('content-type')?.startsWith('multipart/') || !response.body)
      return response;
    let isFirst = true;
    const held = new TransformStream<Uint8Array, Uint8Array>({
      transform: async (bytes, controller) => {
        if (!isFirst) await released;
        isFirst = false;
        controller.enqueue(bytes);
      },
    });
    return new Response(response.body.pipeThrough(held), response);
  };
}

/** In the page: lets the held parts go. */
export function releaseParts(): void {
  (globalThis as typeof globalThis & { releaseParts?: () => void }).releaseParts?.();
}

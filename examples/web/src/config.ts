/** Where the application finds the rest of the platform. */
export interface Config {
  /** The auth-server. */
  readonly issuer: string;
  readonly clientId: string;
  /** The gateway's endpoint. */
  readonly graph: string;
}

/** Reads it from the server of the page, so that the same build runs anywhere. */
export async function loadConfig(): Promise<Config> {
  const response = await fetch('/config.json', { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`/config.json: ${response.status}`);
  return (await response.json()) as Config; // of the server that serves this file
}

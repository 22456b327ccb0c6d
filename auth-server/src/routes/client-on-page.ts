import type { ClientMetadata } from '../clients/client-metadata.ts';
import type { ClientOnPage } from '../pages/pages.ts';
import { paths } from '../paths.ts';

/**
 * A client as pages show it. Of one that no one has looked at they show what it calls itself and where it gets its response,
 * and nothing that would lend it an appearance: no logo and no link.
 *
 * @param redirectUri where the response goes; undefined where a device has asked
 */
export function clientOnPage(metadata: ClientMetadata, redirectUri: string | undefined): ClientOnPage {
  const { client_id: id, client_name: name, unvetted: isUnvetted } = metadata;
  const destination = redirectUri === undefined ? undefined : destinationOf(redirectUri);
  if (isUnvetted) return { name, isUnvetted, destination, logo: undefined, links: {} };
  const logo = metadata.logo_uri && `${paths.clientLogo.slice(1)}?client_id=${encodeURIComponent(id)}`;
  const links = { website: metadata.client_uri, policy: metadata.policy_uri, terms: metadata.tos_uri };
  return { name, isUnvetted, destination, logo, links };
}

/** Host of a redirect URI, or scheme of an app. */
export function destinationOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host === '' ? protocol : host;
}

/** Where a user goes back to, who can't go on: the page of an application that someone has looked at, else its origin. */
export function wayBackTo(
  metadata: ClientMetadata,
): { readonly name: string; readonly address: string } | undefined {
  const { client_name: name, client_uri: website, redirect_uris: uris, unvetted } = metadata;
  if (unvetted) return undefined;
  const web = uris.find((uri) => /^https?:/.test(uri));
  const address = website ?? (web === undefined ? undefined : `${new URL(web).origin}/`);
  return address === undefined || metadata.application_type === 'native' ? undefined : { name, address };
}

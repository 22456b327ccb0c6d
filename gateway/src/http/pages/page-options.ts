import type { FastifyRequest } from 'fastify';
import type { PipelineServices } from '../../pipeline/services.ts';
import type { PageSettings } from '../../settings/pages.ts';
import { prefersPage } from '../message/media-types.ts';

/** What the pages are made of. */
export interface PageOptions {
  readonly graphPath: string;
  /** Where every response is a stream. */
  readonly streamPath: string;
  /** Those in force now. */
  readonly settings: () => { readonly pages: PageSettings };
  readonly services: () => Pick<PipelineServices, 'supergraphs'>;
  /** Whose tokens are accepted first, now. */
  readonly issuer: () => string | undefined;
}

/** Whether a request gets a page: they are on, and it comes from a browser that wants one. */
export function isForPage(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { settings }: Pick<PageOptions, 'settings'>,
): boolean {
  return settings().pages.enabled && prefersPage(headers.accept);
}

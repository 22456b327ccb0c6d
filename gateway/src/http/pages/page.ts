import { createHash } from 'node:crypto';
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
  readonly services: () => Pick<PipelineServices, 'supergraphs' | 'usage'>;
  /** Whose tokens are accepted first, now. */
  readonly issuer: () => string | undefined;
  /** Whether pages say what is wrong with a supergraph. */
  readonly isDevelopment: boolean;
}

/** Whether a request gets a page: they are on, and it comes from a browser that wants one. */
export function isForPage(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { settings }: Pick<PageOptions, 'settings'>,
): boolean {
  return settings().pages.enabled && prefersPage(headers.accept);
}

/** Sources of a page, by directive of its policy; what is not listed has none. CSP Level 3 */
export type PageSources = Readonly<Record<`${string}-src`, readonly string[]>>;

/**
 * The headers of a page. It is in no frame, loads nothing but its own, sends no referrer, and is
 * not stored: it differs by language, and by what is served now.
 *
 * @param formTargets sources where its forms may lead. Default: nowhere
 */
export function pageHeaders(
  sources: PageSources,
  formTargets: readonly string[] = ["'none'"],
): Readonly<Record<string, string>> {
  const listed = Object.entries(sources).map(([directive, all]) => `${directive} ${all.join(' ')}`);
  const policy = [
    "default-src 'none'",
    ...listed,
    "base-uri 'none'",
    `form-action ${formTargets.join(' ')}`,
    "frame-ancestors 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...SAFE_CONTENT,
  };
}

/** Of everything that browsers load as it is declared, and in no frame. */
export const SAFE_CONTENT: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The source expression that lets an inline style in, and no other. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[] | undefined;

/** Writes HTML: each value is escaped, unless it is HTML itself; an absent one is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const texts = parts.map((part, index) => (index === 0 ? part : write(values[index - 1]) + part));
  return new Html(texts.join(''));
}

function write(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it stands between tags, or in an attribute with quotes. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

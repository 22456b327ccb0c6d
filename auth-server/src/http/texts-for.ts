import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TextChooser } from '../pages/language.ts';
import type { PageTexts } from '../pages/texts/page-texts.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Of the pages: everything below {@link decorateWithTexts} has it. */
    readonly chooseTexts: TextChooser;
  }
}

/** Gives the routes of a scope their texts. */
export function decorateWithTexts(scope: FastifyInstance, chooseTexts: TextChooser): void {
  scope.decorate('chooseTexts', chooseTexts);
}

/** The texts for who sends a request. @param uiLocales of the authorization request, where there is one */
export function textsFor({ server, headers }: FastifyRequest, uiLocales?: string): PageTexts {
  return server.chooseTexts(uiLocales, headers['accept-language']);
}

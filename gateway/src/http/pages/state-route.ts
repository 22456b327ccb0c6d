import type { Metrics } from '@trellis/runtime';
import type { FastifyInstance } from 'fastify';
import { prefersPage } from '../message/media-types.ts';
import { readGraphState } from './graph-state.ts';
import { readSamples } from './metric-samples.ts';
import { chooseTexts } from './page-texts.ts';
import { renderState } from './state-page.ts';

/** Serves the state of the gateway at `/gateway`: to programs that ask for JSON what it serves of the graph, to all others a page. */
export function addStatePage(server: FastifyInstance, metrics: Metrics): void {
  server.get('/gateway', async ({ headers }, reply) => {
    reply.header('vary', 'Accept, Accept-Language').header('cache-control', 'no-store');
    if (prefersJson(headers.accept)) return reply.send(readGraphState(await readSamples(metrics)));
    const page = await renderState(metrics, chooseTexts(headers['accept-language']));
    return reply.headers(page.headers).send(page.text);
  });
}

function prefersJson(accept: string | undefined): boolean {
  return accept !== undefined && accept.includes('application/json') && !prefersPage(accept);
}

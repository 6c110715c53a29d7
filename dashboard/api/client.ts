import createFetchClient, { type Middleware } from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import type { paths } from '../generated/api';
import { CONSISTENCY_HEADER, getConsistencyTokens, keepTokenOfWrite } from './consistency-tokens';
import { readEnvironment } from './environment';
import { readProblem, toProblem } from './problem';
import { readRateLimit } from './rate-limit';
import { readServerTime } from './server-clock';

/** Called when a response shows that the session has ended. */
let onSessionEnd: () => void = () => undefined;

export function listenForSessionEnd(listener: () => void): void {
  onSessionEnd = listener;
}

/**
 * Called when a response shows that the account requires a second factor, which the person lacks.
 */
let onFactorMissing: () => void = () => undefined;

export function listenForMissingFactor(listener: () => void): void {
  onFactorMissing = listener;
}

/** The routes for signing in. A 401 from these routes does not end a session. */
const SIGN_IN_ROUTES = ['/session', '/session/factor'];

const session: Middleware = {
  onRequest({ request }) {
    request.headers.set('X-Requested-With', 'dashboard');
    if (!request.headers.has('X-Environment')) request.headers.set('X-Environment', readEnvironment());
    const tokens = getConsistencyTokens();
    if (request.method === 'GET' && tokens !== '') request.headers.set(CONSISTENCY_HEADER, tokens);
    return request;
  },
  async onResponse({ response, schemaPath, request }) {
    readRateLimit(response);
    readServerTime(response);
    keepTokenOfWrite(response.headers.get(CONSISTENCY_HEADER));
    if (response.ok) return;
    const isSignIn = SIGN_IN_ROUTES.includes(schemaPath) && request.method === 'POST';
    if (response.status === 401 && !isSignIn) onSessionEnd();
    const problem = await readProblem(response);
    if (problem.code === 'factor_setup_required') onFactorMissing();
    throw problem;
  },
  onError({ error }) {
    return toProblem(error);
  },
};

/** The REST API with the session of the signed-in person. Throws every failure as a Problem. */
export const client = createFetchClient<paths>({ baseUrl: '/v1' });
client.use(session);

/** Hooks that read the API: `api.useQuery('get', '/invoices', { params: { query } })`. */
export const api = createQueryClient(client);

/**
 * Returns the If-Match header for a record. If a newer version exists, the API then refuses the
 * change.
 */
export function ifMatch({ updated_at }: { updated_at: string }): { 'If-Match': string } {
  return { 'If-Match': `"${updated_at}"` };
}

/**
 * Returns a random id for Idempotency-Key. `crypto.randomUUID` is missing on pages without TLS.
 */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
